/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin to start from: 2-D and other max and average pooling in double, forward, in C99.
 *     cc -std=c99 -O2 -shared -fPIC -I include -o libexample.so example.c
 *     poolproof check --backend plugin:./libexample.so */
#include <poolproof/plugin.h>

#include <math.h>
#include <stdio.h>

enum { most_axes = 5 };

static const char capabilities[] =
    "{\"ops\":[\"max_pool\",\"avg_pool\"],\"modes\":[\"forward\"],\"dtypes\":[\"f64\"],"
    "\"attrs\":[\"dilation\",\"asymmetric_padding\",\"auto_pad\",\"count_include_pad\",\"divisor_override\"]}";

static int64_t out_size(int64_t length, int64_t pads, int64_t reach, int64_t stride) {
    const int64_t room = length + pads - reach;
    return (room > 0 ? room : 0) / stride + 1;
}

/* One output: walks the window's taps in row-major order, skipping those in the padding. */
static double pooled(const poolproof_node *n, const double *x, const int64_t *extent, const int64_t *at) {
    int64_t tap[most_axes] = {0}, taps = 1, cells = 0;
    double best = -INFINITY, sum = 0;
    for (int k = 0; k < n->spatial_rank; ++k) taps *= n->kernel[k];
    for (int64_t t = 0; t < taps; ++t) {
        int64_t cell = 0, inside = 1;
        for (int k = 0; k < n->spatial_rank; ++k) {
            const int64_t i = at[k] * n->stride[k] - n->pad_begin[k] + tap[k] * n->dilation[k];
            inside = inside && i >= 0 && i < extent[k];
            cell = cell * extent[k] + i;
        }
        if (inside) {
            ++cells;
            sum += x[cell];
            if (isnan(x[cell]) || x[cell] > best) best = x[cell];
        }
        for (int k = n->spatial_rank; k-- > 0 && ++tap[k] == n->kernel[k];) tap[k] = 0;
    }
    if (n->op == POOLPROOF_MAX_POOL) return cells > 0 ? best : 0;
    if (n->divisor_override != 0) return sum / (double)n->divisor_override;
    if (n->count_include_pad) return sum / (double)taps;
    return cells > 0 ? sum / (double)cells : 0;
}

static int run(const poolproof_case *c, poolproof_answer *answer) {
    const poolproof_node *n = &c->nodes[0];
    const int lead = c->input.rank - n->spatial_rank;
    int64_t shape[16], slices = 1, cells = 1, outs = 1;
    if (lead < 0 || n->spatial_rank < 1 || n->spatial_rank > most_axes) {
        snprintf(answer->why, sizeof answer->why, "the rank does not match");
        return POOLPROOF_REJECTED;
    }
    for (int k = 0; k < lead; ++k) slices *= shape[k] = c->input.shape[k];
    for (int k = 0; k < n->spatial_rank; ++k) {
        const int64_t length = c->input.shape[lead + k];
        if (n->kernel[k] < 1 || n->stride[k] < 1 || n->dilation[k] < 1 || n->pad_begin[k] < 0 ||
            n->pad_end[k] < 0 || length < 1) {
            snprintf(answer->why, sizeof answer->why, "axis %d cannot be pooled", k);
            return POOLPROOF_REJECTED;
        }
        cells *= length;
        outs *= shape[lead + k] = out_size(length, n->pad_begin[k] + n->pad_end[k],
                                           n->dilation[k] * (n->kernel[k] - 1) + 1, n->stride[k]);
    }
    double *y = answer->output(answer, "y", POOLPROOF_F64, c->input.rank, shape);
    if (y == NULL) return POOLPROOF_FAILED;
    for (int64_t s = 0; s < slices; ++s)
        for (int64_t o = 0; o < outs; ++o) {
            int64_t at[most_axes], rest = o;
            for (int k = n->spatial_rank; k-- > 0; rest /= shape[lead + k]) at[k] = rest % shape[lead + k];
            y[s * outs + o] = pooled(n, (const double *)c->input.data + s * cells, c->input.shape + lead, at);
        }
    return POOLPROOF_ANSWERED;
}

const poolproof_plugin *poolproof_plugin_v1(void) {
    static const poolproof_plugin plugin = {sizeof plugin, "example", "1", "torchlean", capabilities, run};
    return &plugin;
}
