// What glibc has from 2.38 on, for a program that is linked against an older one: Swift's runtime may have been built with newer
// headers than a system has that the program is to start on. Linked into the tarball's program only, see `make dist`. All of it is
// weak, since a runtime may bring some of it along.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__) && (__GLIBC__ < 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ < 38))

#define WEAK __attribute__((weak))

// Newer headers give these names to the functions that also read C23's binary literals, which nobody here writes.
WEAK long __isoc23_strtol(const char *text, char **end, int base) {
    return strtol(text, end, base);
}

WEAK unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return strtoul(text, end, base);
}

WEAK long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

WEAK unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

WEAK int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int found = vsscanf(text, format, arguments);
    va_end(arguments);
    return found;
}

// Copies as much as fits, with a zero behind it, and says how long the whole is.
WEAK size_t strlcpy(char *place, const char *text, size_t size) {
    size_t length = strlen(text);
    if (size > 0) {
        size_t fits = length < size ? length : size - 1;
        memcpy(place, text, fits);
        place[fits] = 0;
    }
    return length;
}

#endif
