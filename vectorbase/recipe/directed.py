# SPDX-License-Identifier: Apache-2.0
"""Prints the drafts that were thought of, rather than found: python3 directed.py > drafts"""

import clauses
import derived
import found
import layers
import limits
import mixtures
import networks
import orders
import places
import shipped
import twins
from chosen import LEFT_OUT
from drafts import Drafts

drafts = Drafts()
for part in (shipped.averages, shipped.sizes, shipped.maxima, shipped.indices, shipped.gradients, shipped.bins,
             clauses.smooth, clauses.special, clauses.empty, clauses.graphs, clauses.rejections, clauses.ranks,
             clauses.lengths, clauses.tiny, clauses.rounding, found.found,
             derived.derived, layers.typical, layers.tiles, limits.limits, twins.twins, places.places, networks.networks,
             mixtures.mixtures, orders.orders):
    part(drafts)
for name in LEFT_OUT:
    del drafts.lines[name]
drafts.print()
