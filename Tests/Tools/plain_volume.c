// A volume that can rename, and nothing beyond that: no rename that never replaces, no exchange of two names, no hard links. So are
// exFAT, FAT and many network volumes on a Mac, where all of these answer ENOTSUP. Load it with LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>

int linkat(int from, const char *old, int to, const char *new_, int flags) {
    (void)from;
    (void)old;
    (void)to;
    (void)new_;
    (void)flags;
    errno = ENOTSUP;
    return -1;
}

// Capsule makes renameat2(2) by syscall(2).
long syscall(long number, ...) {
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int at = 0; at < 6; at++) argument[at] = va_arg(list, long);
    va_end(list);
    if (number == SYS_renameat2 && argument[4] != 0) {
        errno = ENOTSUP;
        return -1;
    }
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (!real) abort();
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
