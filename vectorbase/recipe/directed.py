# SPDX-License-Identifier: Apache-2.0
"""Prints the drafts that were thought of, rather than found: python3 directed.py > drafts"""

import clauses
import shipped
from drafts import Drafts

drafts = Drafts()
for part in (shipped.averages, shipped.sizes, shipped.maxima, shipped.indices, shipped.gradients, shipped.bins,
             clauses.smooth, clauses.special, clauses.empty, clauses.graphs, clauses.rejections, clauses.ranks,
             clauses.lengths, clauses.tiny):
    part(drafts)
drafts.print()
