#include "frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 9 };

struct buffer {
    unsigned char *bytes;
    size_t start, end, capacity;
};

static struct buffer input, output;

uint32_t get32(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

uint64_t get64(const unsigned char *bytes) { return (uint64_t)get32(bytes) << 32 | get32(bytes + 4); }

void put32(unsigned char *bytes, uint32_t value) {
    for (int index = 0; index < 4; index++) bytes[index] = (unsigned char)(value >> (24 - 8 * index));
}

void put64(unsigned char *bytes, uint64_t value) {
    put32(bytes, (uint32_t)(value >> 32));
    put32(bytes + 4, (uint32_t)value);
}

void give_up(const char *reason) {
    fprintf(stderr, "capsule-http: error: %s\n", reason);
    exit(1);
}

void *checked(void *memory) {
    if (!memory) give_up("out of memory");
    return memory;
}

// Makes space for `count` more bytes behind those that wait. All lengths are bounded by callers, so the sums can't overflow.
static unsigned char *space(struct buffer *buffer, size_t count) {
    if (buffer->capacity - buffer->end >= count) return buffer->bytes + buffer->end;
    size_t waiting = buffer->end - buffer->start;
    if (buffer->start) memmove(buffer->bytes, buffer->bytes + buffer->start, waiting);
    buffer->start = 0;
    buffer->end = waiting;
    if (buffer->capacity - waiting < count) {
        size_t capacity = buffer->capacity * 2 > waiting + count ? buffer->capacity * 2 : waiting + count;
        buffer->bytes = checked(realloc(buffer->bytes, capacity));
        buffer->capacity = capacity;
    }
    return buffer->bytes + buffer->end;
}

bool read_input(void) {
    unsigned char *place = space(&input, BODY_PIECE);
    ssize_t count = read(STDIN_FILENO, place, BODY_PIECE);
    if (count > 0) input.end += (size_t)count;
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

bool next_frame(struct frame *frame) {
    size_t waiting = input.end - input.start;
    if (waiting < HEAD) return false;
    const unsigned char *head = input.bytes + input.start;
    size_t length = get32(head + 5);
    if (length > INPUT_LIMIT) give_up("a frame is too long");
    if (waiting - HEAD < length) return false;
    *frame = (struct frame){.kind = (char)head[0], .number = get32(head + 1), .payload = head + HEAD, .length = length};
    input.start += HEAD + length;
    return true;
}

void send_frame(char kind, uint32_t number, const void *first, size_t first_length, const void *second, size_t second_length) {
    size_t length = first_length + second_length;
    unsigned char *place = space(&output, HEAD + length);
    place[0] = (unsigned char)kind;
    put32(place + 1, number);
    put32(place + 5, (uint32_t)length);
    if (first_length) memcpy(place + HEAD, first, first_length);
    if (second_length) memcpy(place + HEAD + first_length, second, second_length);
    output.end += HEAD + length;
}

bool write_output(void) {
    while (output.start < output.end) {
        ssize_t count = write(STDOUT_FILENO, output.bytes + output.start, output.end - output.start);
        if (count < 0) return errno == EAGAIN || errno == EINTR;
        output.start += (size_t)count;
    }
    output.start = output.end = 0;
    return true;
}

size_t output_waiting(void) { return output.end - output.start; }
