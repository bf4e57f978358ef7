// What `shim.h` declares, by Linux's calls.
#pragma once

#include <linux/openat2.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#ifndef SEEK_DATA
#define SEEK_DATA 3  // lseek(2), the same on every architecture
#endif

#define CAPSULE_NO_ATTRIBUTE ENODATA

// openat2(2)
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

// renameat2(2) with RENAME_NOREPLACE
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_) {
    return (int)syscall(SYS_renameat2, from, old, to, new_, 1u);
}

// renameat2(2) with RENAME_EXCHANGE
static inline int capsule_rename_swap(int from, const char *first, int to, const char *second) {
    return (int)syscall(SYS_renameat2, from, first, to, second, 2u);
}

// fsync(2)
static inline int capsule_sync(int descriptor) { return fsync(descriptor); }

// syncfs(2)
static inline int capsule_sync_file_system(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

// lseek(2) with SEEK_DATA
static inline int64_t capsule_next_data(int descriptor, int64_t offset) { return lseek(descriptor, offset, SEEK_DATA); }

// Linux transfers at most 0x7ffff000 bytes at once by itself (read(2)).
static inline ssize_t capsule_pread(int descriptor, void *buffer, size_t count, off_t offset) {
    return pread(descriptor, buffer, count, offset);
}
static inline ssize_t capsule_pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    return pwrite(descriptor, buffer, count, offset);
}
static inline ssize_t capsule_read(int descriptor, void *buffer, size_t count) { return read(descriptor, buffer, count); }
static inline ssize_t capsule_write(int descriptor, const void *buffer, size_t count) {
    return write(descriptor, buffer, count);
}

// fgetxattr(2), fsetxattr(2), fremovexattr(2), flistxattr(2)
static inline ssize_t capsule_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    return fgetxattr(descriptor, name, value, size);
}
static inline int capsule_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0);
}
static inline int capsule_remove_attribute(int descriptor, const char *name) { return fremovexattr(descriptor, name); }
static inline ssize_t capsule_list_attributes(int descriptor, char *names, size_t size) {
    return flistxattr(descriptor, names, size);
}

// The POSIX access control lists (acl(5)), as the attributes that the kernel has them in: that of a directory's new entries, too. A
// file system without such lists has none.
static inline int capsule_copy_access_list(int from, int to) {
    static const char *const names[] = {"system.posix_acl_access", "system.posix_acl_default"};
    struct stat status;
    if (fstat(from, &status) != 0) return -1;
    for (int at = 0; at < (S_ISDIR(status.st_mode) ? 2 : 1); at++) {
        char list[4096];  // entries have 8 bytes each
        const ssize_t size = fgetxattr(from, names[at], list, sizeof list);
        if (size >= 0) {
            if (fsetxattr(to, names[at], list, (size_t)size, 0) != 0) return -1;
        } else if (errno != ENODATA && errno != ENOTSUP) {
            return -1;
        } else if (fremovexattr(to, names[at]) != 0 && errno != ENODATA && errno != ENOTSUP) {
            return -1;
        }
    }
    return 0;
}

// setfsuid(2): -1 changes nothing and returns the thread's own.
static inline uid_t capsule_user_of_files(void) { return (uid_t)setfsuid((uid_t)-1); }

// acl(5): with a list, the mode's group bits are the most that the list grants to anybody but the owner and all others.
static inline int capsule_list_lets_others_write(int descriptor) {
    if (fgetxattr(descriptor, "system.posix_acl_access", NULL, 0) < 0) {
        return errno == ENODATA || errno == ENOTSUP || errno == ENOSYS ? 0 : -1;
    }
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
    return status.st_mode & S_IWGRP ? 1 : 0;
}

// fstatfs(2): the number of overlayfs is that of linux/magic.h.
static inline int capsule_is_layered(int descriptor) {
    struct statfs status;
    return fstatfs(descriptor, &status) == 0 && (uint32_t)status.f_type == 0x794c7630u;
}

// malloc_trim(3), which only glibc has.
static inline void capsule_trim_memory(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
