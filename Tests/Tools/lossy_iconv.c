// iconv(3) as macOS has had it since version 14: what the target lacks becomes `?`, and the call reports success.
// Load it with LD_PRELOAD; it takes every conversion for one to ASCII (libarchive/libarchive#3413).
#include <errno.h>
#include <iconv.h>
#include <stddef.h>

static int here;

iconv_t iconv_open(const char *to, const char *from) {
    (void)to;
    (void)from;
    return (iconv_t)&here;
}

int iconv_close(iconv_t conversion) {
    (void)conversion;
    return 0;
}

size_t iconv(iconv_t conversion, char **in, size_t *in_left, char **out, size_t *out_left) {
    (void)conversion;
    if (!in || !*in) return 0;
    while (*in_left > 0) {
        if (*out_left == 0) {
            errno = E2BIG;
            return (size_t)-1;
        }
        const unsigned char byte = (unsigned char)**in;
        size_t count = 1;
        if (byte >= 0xC0)
            while (count < *in_left && ((unsigned char)(*in)[count] & 0xC0) == 0x80) count++;
        *(*out)++ = byte < 0x80 ? (char)byte : '?';
        --*out_left;
        *in += count;
        *in_left -= count;
    }
    return 0;
}
