/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that does, now and then, what no plugin may: the environment variable POOLPROOF_ADAPTER_MISBEHAVE (what begins
 * with POOLPROOF_ADAPTER_ is passed on) says which of it. Every third case; the others it declines. */
#define _POSIX_C_SOURCE 200809L
#include <poolproof/plugin.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int64_t elements(const poolproof_tensor *t) {
    int64_t n = 1;
    for (int k = 0; k < t->rank; ++k) n *= t->shape[k];
    return n;
}

static int run(const poolproof_case *c, poolproof_answer *answer) {
    static int calls = 0;
    const char *mode = getenv("POOLPROOF_ADAPTER_MISBEHAVE");
    snprintf(answer->why, sizeof answer->why, "not this one");
    if (++calls % 3 != 0 || mode == NULL) return POOLPROOF_DECLINED;
    if (strcmp(mode, "crash") == 0) raise(SIGSEGV);
    if (strcmp(mode, "exit") == 0) exit(3);
    if (strcmp(mode, "hang") == 0)
        for (;;) pause();
    if (strcmp(mode, "print") == 0) puts("{\"id\":1,\"failed\":\"this is no message\"}");
    if (strcmp(mode, "leak") == 0) {
        char *p = malloc((size_t)256 << 20);
        if (p != NULL) memset(p, 1, (size_t)256 << 20);
    }
    if (strcmp(mode, "fork") == 0 && fork() == 0)
        for (;;) pause();
    if (strcmp(mode, "input") == 0 && elements(&c->input) > 0) *(unsigned char *)(uintptr_t)c->input.data ^= 1;
    if (strcmp(mode, "outside") == 0 || strcmp(mode, "shape") == 0) {
        const int64_t one[] = {1, 1, 1, 1, 1, 1, 1};
        double *y = answer->output(answer, c->mode == POOLPROOF_FORWARD ? "y" : c->mode == POOLPROOF_JVP ? "dy" : "dx",
                                   POOLPROOF_F64, 7, one);
        if (y == NULL) return POOLPROOF_FAILED;
        y[0] = 0;
        if (strcmp(mode, "outside") == 0) y[1] = 1;
        return POOLPROOF_ANSWERED;
    }
    return POOLPROOF_DECLINED;
}

const poolproof_plugin *poolproof_plugin_v1(void) {
    static const poolproof_plugin plugin = {sizeof plugin, "misbehaves", "1", NULL, NULL, run};
    static const poolproof_plugin misspelt = {sizeof misspelt, "misspelt", "1", NULL, "{\"ops\":[\"maxpool\"]}", run};
    const char *mode = getenv("POOLPROOF_ADAPTER_MISBEHAVE");
    return mode != NULL && strcmp(mode, "misspell") == 0 ? &misspelt : &plugin;
}
