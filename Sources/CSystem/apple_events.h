// FSEvents, as a pipe of records that Swift reads as it reads those of inotify on Linux. CoreServices is declared here, and not
// included, under names that no header of Apple's has: this is all that is used of it (FSEvents.h, CFString.h, CFArray.h).
#pragma once

#include <stdlib.h>

typedef struct capsule_stream *capsule_stream_ref;
typedef struct {
    long version;
    void *info;
    const void *retain, *release, *describe;
} capsule_stream_context;
typedef void (*capsule_stream_callback)(
    const struct capsule_stream *stream, void *info, size_t count, void *paths, const uint32_t *flags, const uint64_t *identifiers);

#define CAPSULE_SYMBOL(name) __asm__("_" #name)
extern capsule_stream_ref capsule_stream_create(
    const void *allocator, capsule_stream_callback callback, capsule_stream_context *context, const void *paths, uint64_t since,
    double latency, uint32_t flags) CAPSULE_SYMBOL(FSEventStreamCreate);
extern void capsule_stream_set_queue(capsule_stream_ref stream, void *queue) CAPSULE_SYMBOL(FSEventStreamSetDispatchQueue);
extern unsigned char capsule_stream_start(capsule_stream_ref stream) CAPSULE_SYMBOL(FSEventStreamStart);
extern void capsule_stream_stop(capsule_stream_ref stream) CAPSULE_SYMBOL(FSEventStreamStop);
extern void capsule_stream_invalidate(capsule_stream_ref stream) CAPSULE_SYMBOL(FSEventStreamInvalidate);
extern void capsule_stream_release(capsule_stream_ref stream) CAPSULE_SYMBOL(FSEventStreamRelease);
extern const void *capsule_string_create(const void *allocator, const char *path)
    CAPSULE_SYMBOL(CFStringCreateWithFileSystemRepresentation);
extern const void *capsule_array_create(const void *allocator, const void **values, long count, const void *callbacks)
    CAPSULE_SYMBOL(CFArrayCreate);
extern void capsule_release(const void *object) CAPSULE_SYMBOL(CFRelease);
extern void *capsule_queue_create(const char *label, void *attributes) CAPSULE_SYMBOL(dispatch_queue_create);

// A record in the pipe, followed by `length` bytes of a path.
typedef struct {
    uint32_t flags;
    uint32_t length;
} capsule_event;

// MustScanSubDirs, UserDropped and KernelDropped.
#define CAPSULE_EVENTS_LOST 0x7u

static inline void capsule_write_all(int descriptor, const void *bytes, size_t count) {
    const char *at = (const char *)bytes;
    while (count > 0) {
        const ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        // The reader is gone, and nobody waits for the rest.
        if (written <= 0) return;
        at += written;
        count -= (size_t)written;
    }
}

static inline void capsule_note_events(
    const struct capsule_stream *stream, void *info, size_t count, void *paths, const uint32_t *flags, const uint64_t *identifiers) {
    (void)stream;
    (void)identifiers;
    const int descriptor = (int)(intptr_t)info;
    for (size_t number = 0; number < count; number++) {
        const char *path = ((const char **)paths)[number];
        const capsule_event event = {flags[number], (uint32_t)strlen(path)};
        capsule_write_all(descriptor, &event, sizeof event);
        capsule_write_all(descriptor, path, event.length);
    }
}

// Starts to write a record for each change below the directory `path` to the pipe `descriptor`. Returns NULL if it can't. `since` is
// kFSEventStreamEventIdSinceNow; the flags are NoDefer and FileEvents.
static inline capsule_stream_ref capsule_events_start(const char *path, int descriptor) {
    capsule_stream_ref stream = NULL;
    const void *text = capsule_string_create(NULL, path);
    const void *paths = text ? capsule_array_create(NULL, &text, 1, NULL) : NULL;
    capsule_stream_context context = {0, (void *)(intptr_t)descriptor, NULL, NULL, NULL};
    if (paths) stream = capsule_stream_create(NULL, capsule_note_events, &context, paths, UINT64_MAX, 0.02, 0x02 | 0x10);
    if (stream) {
        capsule_stream_set_queue(stream, capsule_queue_create("capsule.watch", NULL));
        if (!capsule_stream_start(stream)) {
            capsule_stream_invalidate(stream);
            capsule_stream_release(stream);
            stream = NULL;
        }
    }
    if (paths) capsule_release(paths);
    if (text) capsule_release(text);
    return stream;
}

static inline void capsule_events_stop(capsule_stream_ref stream) {
    capsule_stream_stop(stream);
    capsule_stream_invalidate(stream);
    capsule_stream_release(stream);
}
