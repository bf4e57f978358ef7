// Frames on the two pipes between capsule and this program.
//
// A frame is its kind (1 byte), a number (4 bytes), the length of the payload (4 bytes) and the payload; integers are big-endian.
// The number is that of a transfer, which capsule chooses.
//
// From capsule:
//   A  certificate authorities: PEM; the number names the set
//   R  a request: lines `KEY VALUE`, see transfer.c
//   D  a piece of the request's body, in answer to W: its offset (8 bytes), then bytes
//   X  forget the transfer; nothing more is sent for it
//
// To capsule, until the end of its input, where the program ends at once, within a frame if the pipe is full:
//   V  the first frame: the number is the version of the protocol; libcurl's version and the file of its authorities, a line each
//   H  the head of the answer: the status, then the header lines, each ended by a line feed
//   B  a piece of the answer's body
//   W  wants a piece of the request's body: its offset (8 bytes) and the most bytes (4 bytes)
//   E  the end: libcurl's code (4 bytes), 0 for success, then its message
#ifndef CAPSULE_HTTP_FRAMES_H
#define CAPSULE_HTTP_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROTOCOL_VERSION = 1,
    // A set of authorities is the longest frame that capsule sends: a system's bundle takes about 220 kB.
    INPUT_LIMIT = 4 << 20,
    // Above this, transfers stop to receive until capsule has read.
    OUTPUT_HIGH = 1 << 20,
    OUTPUT_LOW = 256 << 10,
    BODY_PIECE = 64 << 10,
};

struct frame {
    char kind;
    uint32_t number;
    const unsigned char *payload;
    size_t length;
};

uint32_t get32(const unsigned char *bytes);
uint64_t get64(const unsigned char *bytes);
void put32(unsigned char *bytes, uint32_t value);
void put64(unsigned char *bytes, uint64_t value);

// Reads what standard input has (read(2)). Returns false at its end.
bool read_input(void);
// The next whole frame of the input; it is valid until the next call of read_input or next_frame. Returns false if there is none.
bool next_frame(struct frame *frame);

// Queues a frame of up to two parts.
void send_frame(char kind, uint32_t number, const void *first, size_t first_length, const void *second, size_t second_length);
// Writes what the pipe takes (write(2)). Returns false if nobody reads it.
bool write_output(void);
size_t output_waiting(void);

// Ends the program with a message: capsule broke the protocol, or memory is out.
_Noreturn void give_up(const char *reason);
void *checked(void *memory);

#endif
