// Gives every thread but the main one a stack as small as Apple's systems give it: 512 KiB, or STACK_KB.
//
// cc -shared -fPIC -o small_stack.so small_stack.c; LD_PRELOAD=./small_stack.so COMMAND
//
// Threads whose maker asks for a size of its own get that size.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void make_stacks_small(void) {
    const char *text = getenv("STACK_KB");
    size_t size = (size_t)(text ? atoi(text) : 512) << 10;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, size) != 0 ||
        pthread_setattr_default_np(&attributes) != 0) {
        fputs("small_stack: the size of a stack can't be set\n", stderr);
        _Exit(70);
    }
}
