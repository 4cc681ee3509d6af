/* SPDX-License-Identifier: Apache-2.0 */
/* A pooling implementation as a shared library, C99. It exports one function,
 *
 *     const poolproof_plugin *poolproof_plugin_v1(void);
 *
 * and is loaded by a small host process of its own: poolproof check --backend plugin:./libmine.so
 * Structures grow at their end only; `size` says how much of one the other side knows. */
#ifndef POOLPROOF_PLUGIN_H
#define POOLPROOF_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    POOLPROOF_F64,
    POOLPROOF_F32,
    POOLPROOF_F16,
    POOLPROOF_BF16,
    POOLPROOF_I8,
    POOLPROOF_U8,
    POOLPROOF_I32,
    POOLPROOF_I64
} poolproof_dtype;

typedef enum {
    POOLPROOF_MAX_POOL,
    POOLPROOF_AVG_POOL,
    POOLPROOF_SMOOTH_MAX_POOL,
    POOLPROOF_ADAPTIVE_AVG_POOL,
    POOLPROOF_ADAPTIVE_MAX_POOL,
    POOLPROOF_GLOBAL_AVG_POOL,
    POOLPROOF_GLOBAL_MAX_POOL,
    POOLPROOF_GRAPH,
    POOLPROOF_ADD
} poolproof_op;

typedef enum { POOLPROOF_FORWARD, POOLPROOF_JVP, POOLPROOF_VJP } poolproof_mode;

/* Row-major and dense, in the machine's byte order. `data` is aligned to 16 bytes, is not to be written, and
 * may be null where there is no element. */
typedef struct {
    poolproof_dtype dtype;
    int32_t rank;
    const int64_t* shape;
    const void* data;
} poolproof_tensor;

/* One op with its attributes, defaults filled in. Lists hold `spatial_rank` numbers; those that the op does
 * not have are null. Automatic pads are given as numbers. What the structures cannot express, such as lists
 * of unequal lengths, is invalid and does not reach a plugin; other invalid cases do, to be rejected. */
typedef struct {
    uint32_t size;
    poolproof_op op;
    int32_t spatial_rank;
    const int64_t *kernel, *stride, *pad_begin, *pad_end, *dilation; /* max, avg, smooth_max */
    const int64_t* output_size;                                      /* adaptive */
    int32_t ceil_mode, count_include_pad, keepdims, return_indices;  /* 0 or 1 */
    int64_t divisor_override;                                        /* 0: none */
    double beta;                                                     /* smooth_max */
    int32_t inputs[2]; /* of a graph's node; -1: the graph's input */
} poolproof_node;

typedef struct {
    uint32_t size;
    poolproof_mode mode;
    const char* json;            /* the whole case as in the adapter protocol, without its tensors' data */
    const poolproof_node* nodes; /* one, or a graph's in their order; the last is the output */
    int32_t node_count;
    poolproof_op op; /* of the case: POOLPROOF_GRAPH, or that of the only node */
    poolproof_tensor input;
    poolproof_tensor direction; /* the tangent or cotangent; data is null in forward */
} poolproof_case;

/* What a plugin answers with. */
typedef struct poolproof_answer {
    uint32_t size;
    /* Room for the output "y", "dy", "dx" or "indices", aligned to 16 bytes; null if it is beyond all
     * measure. To be called once for each output, and filled to its end. */
    void* (*output)(struct poolproof_answer* answer, const char* name, poolproof_dtype dtype, int32_t rank,
                    const int64_t* shape);
    char why[256]; /* for every code but POOLPROOF_ANSWERED */
} poolproof_answer;

enum { POOLPROOF_ANSWERED, POOLPROOF_DECLINED, POOLPROOF_REJECTED, POOLPROOF_FAILED };

typedef struct {
    uint32_t size;
    const char *name, *version;
    const char* profile; /* null: torchlean */
    /* JSON as in the adapter protocol, such as "{\"ops\":[\"max_pool\"],\"dtypes\":[\"f32\"],\"attrs\":[]}";
     * null: everything, and it may decline */
    const char* capabilities;
    int (*run)(const poolproof_case* c, poolproof_answer* answer);
} poolproof_plugin;

/* What a plugin defines and exports. The table lives as long as the plugin is loaded. */
const poolproof_plugin* poolproof_plugin_v1(void);

#ifdef __cplusplus
}
#endif

#endif
