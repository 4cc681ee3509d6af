/* SPDX-License-Identifier: Apache-2.0
   A naive pooling in float, judged by the exported vectors and nothing else:
     poolproof vectors export --format c --dtype f32 --mode forward --op max_pool --op avg_pool --out . && cc judge.c */
#include <math.h>
#include <poolproof_vectors.h>
#include <stdio.h>
#include <string.h>

#define MAX_RANK 8

static float value(uint64_t bits) {
    const uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static int64_t position(uint32_t word) {
    const int64_t size = (int64_t)(word & 0x7fffffffu);
    return word >> 31 ? -1 - size : size; /* -0 lies just below +0 */
}

/* One window: the maximum of its real cells, or their sum over the divisor. */
static float pooled(const poolproof_vector *v, const uint64_t *x, const int64_t *at) {
    const int first = v->rank - v->spatial_rank, is_max = strcmp(v->op, "max_pool") == 0;
    int64_t taps = 1, cells = 0;
    float best = 0;
    double sum = 0;
    for (int a = 0; a < v->spatial_rank; ++a) taps *= v->kernel[a];
    for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t rest = tap, cell = 0;
        int64_t k[MAX_RANK];
        int inside = 1;
        for (int a = v->spatial_rank - 1; a >= 0; --a) {
            k[a] = rest % v->kernel[a];
            rest /= v->kernel[a];
        }
        for (int a = 0; a < v->spatial_rank; ++a) {
            const int64_t i = at[a] * v->stride[a] - v->pad_begin[a] + k[a] * v->dilation[a];
            inside = inside && i >= 0 && i < v->shape[first + a];
            cell = cell * v->shape[first + a] + i;
        }
        if (!inside) continue;
        const float c = value(x[cell]);
        if (cells == 0 || c > best || c != c) best = c;
        sum += c;
        ++cells;
    }
    if (is_max) return cells > 0 ? best : 0;
    if (v->divisor_override != 0) return (float)(sum / (double)v->divisor_override);
    return cells == 0 ? 0 : (float)(sum / (double)(v->count_padding ? taps : cells));
}

static int permitted(const poolproof_vector *v, size_t k, float y) {
    const unsigned may = v->permitted[k];
    uint32_t word;
    memcpy(&word, &y, sizeof word);
    if (may & POOLPROOF_OPEN) return 1;
    if (y != y) return (may & POOLPROOF_NAN) != 0;
    if (isinf(y)) return (may & (y > 0 ? POOLPROOF_INF : POOLPROOF_MINUS_INF)) != 0;
    return (may & POOLPROOF_RANGE) && position((uint32_t)v->lowest[k]) <= position(word) &&
           position(word) <= position((uint32_t)v->highest[k]);
}

int main(void) {
    int judged = 0, bad = 0;
    for (size_t n = 0; n < (size_t)poolproof_vector_count; ++n) {
        const poolproof_vector *v = &poolproof_vectors[n];
        if (v->rejected || v->bins || v->policy) continue; /* what this little pooling does not have */
        int64_t cells = 1, windows = 1;
        size_t wrong = 0;
        for (int a = 0; a < v->spatial_rank; ++a) {
            cells *= v->shape[v->rank - v->spatial_rank + a];
            windows *= v->out[a];
        }
        for (size_t k = 0; k < v->values; ++k) {
            int64_t at[MAX_RANK], rest = (int64_t)k % windows;
            for (int a = v->spatial_rank - 1; a >= 0; --a) {
                at[a] = rest % v->out[a];
                rest /= v->out[a];
            }
            wrong += !permitted(v, k, pooled(v, v->input + (int64_t)k / windows * cells, at));
        }
        ++judged;
        if (wrong == 0) continue;
        ++bad;
        printf("%s: %zu of %zu values are wrong\n", v->id, wrong, v->values);
    }
    printf("%d of %d vectors deviate\n", bad, judged);
    return bad != 0;
}
