// System calls that Swift can't call directly, or that differ between Linux and Apple systems.
//
// Both `linux.h` and `apple.h` define every function below, so that Swift code calls them without asking which system it runs on. A
// function returns -1 and sets errno when it fails, unless its comment says otherwise.
//
// _GNU_SOURCE is not set here. With it, this module would see types of the C library differently than Glibc does, and a file that
// imports both would not compile.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

// A thread. `pthread_t` is a number on one system and a pointer on another.
typedef struct {
    pthread_t value;
} capsule_thread;

// Starts a thread with a stack of `stack_size` bytes, which calls `body` with `context`. Returns 0, or an error number.
static inline int capsule_start_thread(capsule_thread *thread, size_t stack_size, void *(*body)(void *), void *context) {
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) return error;
    error = pthread_attr_setstacksize(&attributes, stack_size);
    if (error == 0) error = pthread_create(&thread->value, &attributes, body, context);
    pthread_attr_destroy(&attributes);
    return error;
}

// Waits for the end of a thread.
static inline void capsule_join_thread(capsule_thread thread) { pthread_join(thread.value, NULL); }

// Lets a thread end by itself.
static inline void capsule_detach_thread(capsule_thread thread) { pthread_detach(thread.value); }

// Opens `path` below `directory`. It follows no link and never leaves `directory`. With `one_device`, Linux refuses a path that crosses
// a mount point; elsewhere the caller compares devices.
static inline int capsule_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device);

// Renames without replacing: EEXIST if the new name exists; EINVAL, ENOSYS or ENOTSUP if the file system does not support it.
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_);

// Exchanges two names. EINVAL, ENOSYS or ENOTSUP if the file system does not support it.
static inline int capsule_rename_swap(int from, const char *first, int to, const char *second);

// Writes a file or directory to the medium, through the drive's cache.
static inline int capsule_sync(int descriptor);

// Does the same for the whole file system of `descriptor`, and returns when everything is written.
static inline int capsule_sync_file_system(int descriptor);

// Returns the offset of the first data at or after `offset`; ENXIO if there is none, another errno if the system can't tell.
static inline int64_t capsule_next_data(int descriptor, int64_t offset);

// pread(2), pwrite(2), read(2) and write(2) for any count. A call with a large count may transfer less; it never fails because of it.
static inline ssize_t capsule_pread(int descriptor, void *buffer, size_t count, off_t offset);
static inline ssize_t capsule_pwrite(int descriptor, const void *buffer, size_t count, off_t offset);
static inline ssize_t capsule_read(int descriptor, void *buffer, size_t count);
static inline ssize_t capsule_write(int descriptor, const void *buffer, size_t count);

// Extended attributes of an open file. CAPSULE_NO_ATTRIBUTE is the errno for a name that the file does not have.
static inline ssize_t capsule_get_attribute(int descriptor, const char *name, void *value, size_t size);
static inline int capsule_set_attribute(int descriptor, const char *name, const void *value, size_t size);
static inline int capsule_remove_attribute(int descriptor, const char *name);
static inline ssize_t capsule_list_attributes(int descriptor, char *names, size_t size);

// Copies the access control list of `from` to `to`, both open files or directories. If `from` has none, removes the one that `to`
// inherited from its directory.
static inline int capsule_copy_access_list(int from, int to);

// Returns the user who owns new files, and whose permissions decide about access.
static inline uid_t capsule_user_of_files(void);

// Returns 1 if the access control list of an open file or directory may let others change it, 0 if not, -1 if the system can't tell.
static inline int capsule_list_lets_others_write(int descriptor);

// Returns 1 if the file system of an open file or directory has layers (overlayfs) and can't rename every directory.
static inline int capsule_is_layered(int descriptor);

// Returns freed memory to the system (malloc_trim).
static inline void capsule_trim_memory(void);

#if defined(__linux__)
#include "linux.h"
#elif defined(__APPLE__)
#include <sys/acl.h>
#include "apple.h"
#include "apple_events.h"
#else
#error "Capsule runs on Linux and Apple systems"
#endif

#include "sockets.h"

// memcmp(3), for modules that import no C library otherwise.
static inline int capsule_compare(const void *left, const void *right, size_t count) { return memcmp(left, right, count); }

// The environment, NAME=VALUE each, a null pointer at the end (environ(7)).
extern char **environ;
static inline char **capsule_environment(void) { return environ; }
