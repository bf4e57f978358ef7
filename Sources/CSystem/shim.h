// System calls that Swift cannot reach by itself: variadic ones, and those behind _GNU_SOURCE.
//
// _GNU_SOURCE itself is not set here: with it, types of the C library would look otherwise in this module than in Glibc,
// and a file that imports both would not compile.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
// malloc_trim(3): gives the system back what was freed between what is in use.
static inline void capsule_trim_memory(void) { malloc_trim(0); }
#else
static inline void capsule_trim_memory(void) {}
#endif

#if defined(__linux__)
#include <linux/openat2.h>
#include <sys/syscall.h>

#ifndef SEEK_DATA
#define SEEK_DATA 3  // lseek(2), the same on every architecture
#endif

// openat2(2): opens `path` below `directory`, never through a link nor above it, nor past a mount point if `one_device`.
static inline int capsule_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device) {
    struct open_how how = {0};
    how.flags = (uint64_t)flags;
    how.mode = (flags & O_CREAT) ? mode : 0;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    if (one_device) how.resolve |= RESOLVE_NO_XDEV;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
// getdents64(2): raw directory records, 0 at the end.
static inline long capsule_getdents(int directory, void *buffer, size_t size) {
    return syscall(SYS_getdents64, directory, buffer, size);
}
// renameat2(2) with RENAME_NOREPLACE.
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_) {
    return (int)syscall(SYS_renameat2, from, old, to, new_, 1u);
}
// renameat2(2) with RENAME_EXCHANGE.
static inline int capsule_rename_swap(int from, const char *old, int to, const char *new_) {
    return (int)syscall(SYS_renameat2, from, old, to, new_, 2u);
}
// syncfs(2)
static inline int capsule_sync_file_system(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }
#elif defined(__APPLE__)
// fsync_volume_np(3): the whole volume, down to the medium; it returns the error itself. sync(2) would not wait.
static inline int capsule_sync_file_system(int descriptor) {
    const int number = fsync_volume_np(descriptor, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
    if (number == 0) return 0;
    errno = number;
    return -1;
}
// openat(2) with O_NOFOLLOW_ANY: no component of `path` may be a link. With O_NOFOLLOW besides, the kernel says EINVAL.
static inline int capsule_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device) {
    (void)one_device;  // the caller compares devices
    return openat(directory, path, (flags & ~O_NOFOLLOW) | O_NOFOLLOW_ANY, mode);
}
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_) {
    return renameatx_np(from, old, to, new_, RENAME_EXCL);
}
static inline int capsule_rename_swap(int from, const char *old, int to, const char *new_) {
    return renameatx_np(from, old, to, new_, RENAME_SWAP);
}
#endif

// The environment, NAME=VALUE each, a null pointer at the end (environ(7)).
extern char **environ;
static inline char **capsule_environment(void) { return environ; }
