// SPDX-License-Identifier: Apache-2.0
// A whole adapter in C99: max and average pooling, forward, of any spatial rank up to 8. The same as
// adapters/python/example.py. For little-endian machines. To build it:
//     cc -std=c99 -O2 -o example example.c -lm
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_axes = 8, most_leading = 8 };

static const char hello[] =
    "{\"type\":\"hello\",\"protocol\":1,\"name\":\"example\",\"version\":\"1.0\",\"profile\":\"onnx\","
    "\"capabilities\":{"
    "\"ops\":[\"max_pool\",\"avg_pool\"],\"modes\":[\"forward\"],\"dtypes\":[\"f64\",\"f32\"],\"attrs\":[],"
    "\"memory\":[\"contiguous\"]}}";

// A tiny reader of JSON that is known to be right: values are pointers into the line.

static const char* past_string(const char* s) {  // from its opening quote to behind its closing one
    for (++s; *s != '"'; ++s)
        if (*s == '\\') ++s;
    return s + 1;
}

static const char* past_value(const char* s) {
    int depth = 0;
    do {
        if (*s == '"') {
            s = past_string(s);
            continue;
        }
        if (*s == '{' || *s == '[') ++depth;
        if (*s == '}' || *s == ']') --depth;
        ++s;
    } while (depth > 0 || !strchr(",}]", *s));
    return s;
}

static const char* past_space(const char* s) { return s + strspn(s, " \t\r\n"); }

// The value of a member of an object, or NULL.
static const char* member(const char* object, const char* name) {
    const size_t length = strlen(name);
    for (const char* s = past_space(object + 1); *s == '"'; s = past_space(s + strspn(s, ", "))) {
        const char* key = s + 1;
        s = past_space(past_string(s));
        s = past_space(s + 1);  // the colon
        if (strncmp(key, name, length) == 0 && key[length] == '"') return s;
        s = past_space(past_value(s));
    }
    return NULL;
}

static int is(const char* value, const char* text) {
    return value && strncmp(value + 1, text, strlen(text)) == 0 && value[1 + strlen(text)] == '"';
}

// A list of integers; returns how many there are. An absent list leaves what is there.
static int integers(const char* list, long* out, int most) {
    int n = 0;
    if (!list) return 0;
    for (const char* s = past_space(list + 1); *s != ']' && n < most; ++n) {
        char* end;
        out[n] = strtol(s, &end, 10);
        s = past_space(end);
        s = past_space(s + (*s == ','));
    }
    return n;
}

// The pooling.

struct Pool {
    int is_max, rank;
    long size[most_axes], kernel[most_axes], stride[most_axes], pad[most_axes], output[most_axes];
};

// Steps an index vector below `limit`, the last axis fastest; returns 0 after the last one.
static int next(long* at, const long* limit, int rank) {
    for (int axis = rank; axis-- > 0; at[axis] = 0)
        if (++at[axis] < limit[axis]) return 1;
    return 0;
}

// One output of one slice, whose values are `x`, row by row.
static double pooled(const struct Pool* p, const double* x, const long* corner) {
    double best = -HUGE_VAL, sum = 0, taps = 1;
    long tap[most_axes] = {0};
    for (int axis = 0; axis < p->rank; ++axis) taps *= (double)p->kernel[axis];
    do {
        long cell = 0;
        int inside = 1;
        for (int axis = 0; axis < p->rank; ++axis) {
            const long i = corner[axis] * p->stride[axis] - p->pad[axis] + tap[axis];
            inside = inside && 0 <= i && i < p->size[axis];
            cell = cell * p->size[axis] + i;
        }
        if (!inside) continue;
        sum += x[cell];
        if (x[cell] > best) best = x[cell];
    } while (next(tap, p->kernel, p->rank));
    return p->is_max ? best : sum / taps;
}

static double element(const char* bits, int bytes) {  // from little-endian hex
    unsigned char raw[8];
    unsigned byte;
    float narrow;
    double wide;
    for (int k = 0; k < bytes; ++k) {
        sscanf(bits + 2 * k, "%2x", &byte);
        raw[k] = (unsigned char)byte;
    }
    if (bytes == 8) return memcpy(&wide, raw, 8), wide;
    return memcpy(&narrow, raw, 4), narrow;
}

static void print_element(double wide, int bytes) {
    unsigned char raw[8];
    const float narrow = (float)wide;
    memcpy(raw, bytes == 8 ? (const void*)&wide : (const void*)&narrow, (size_t)bytes);
    for (int k = 0; k < bytes; ++k) printf("%02x", raw[k]);
}

static void answer(const char* c) {
    struct Pool p = {is(member(c, "op"), "max_pool"), 0, {0}, {0}, {0}, {0}, {0}};
    const char *attrs = member(c, "attrs"), *input = member(c, "input"), *bits = member(input, "bits") + 1;
    const int bytes = is(member(c, "dtype"), "f64") ? 8 : 4;
    long shape[most_leading + most_axes], slices = 1, cells = 1;
    const int axes = integers(member(input, "shape"), shape, most_leading + most_axes);
    p.rank = integers(member(attrs, "kernel"), p.kernel, most_axes);
    memcpy(p.stride, p.kernel, sizeof p.stride);
    integers(member(attrs, "stride"), p.stride, most_axes);
    integers(member(attrs, "pad_begin"), p.pad, most_axes);
    if (axes < p.rank) {
        printf("\"rejected\":\"the kernel has more axes than the input\"");
        return;
    }
    for (int k = 0; k < axes - p.rank; ++k) slices *= shape[k];
    for (int k = 0; k < p.rank; ++k) {
        p.size[k] = shape[axes - p.rank + k];
        cells *= p.size[k];
        const long room = p.size[k] + 2 * p.pad[k] - p.kernel[k];
        if (room < 0) {
            printf("\"rejected\":\"the kernel is wider than the padded input\"");
            return;
        }
        shape[axes - p.rank + k] = p.output[k] = room / p.stride[k] + 1;
    }
    printf("\"outputs\":{\"y\":{\"dtype\":\"%s\",\"shape\":[", bytes == 8 ? "f64" : "f32");
    for (int k = 0; k < axes; ++k) printf(k ? ",%ld" : "%ld", shape[k]);
    printf("],\"bits\":\"");
    double* x = malloc((size_t)cells * sizeof *x);
    for (long slice = 0; slice < slices; ++slice) {
        long corner[most_axes] = {0};
        for (long k = 0; k < cells; ++k) x[k] = element(bits + 2 * bytes * (slice * cells + k), bytes);
        do print_element(pooled(&p, x, corner), bytes);
        while (next(corner, p.output, p.rank));
    }
    free(x);
    printf("\"}}");
}

static char* line;  // as long as the longest one so far
static size_t room;

static int read_line(void) {
    size_t n = 0;
    for (int c; (c = getchar()) != EOF;) {
        if (n + 1 >= room) line = realloc(line, room = 2 * room + 4096);
        if (!line) exit(1);
        line[n] = (char)c;
        line[n + (c != '\n')] = '\0';
        if (c == '\n') return 1;
        ++n;
    }
    return 0;
}

int main(void) {
    while (read_line()) {
        if (is(member(line, "type"), "hello")) {
            printf("%s", hello);
        } else {
            printf("{\"id\":%ld,", strtol(member(line, "id"), NULL, 10));
            answer(member(line, "case"));
            printf("}");
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
