// What `shim.h` declares, by Apple's calls. `Tests/AppleCalls` runs it on Linux against calls that answer as xnu's do.
#pragma once

#include <limits.h>
#if defined(__APPLE__)
#include <sys/acl.h>
#endif

#define CAPSULE_NO_ATTRIBUTE ENOATTR

// openat(2) with O_NOFOLLOW_ANY: no component of `path` may be a link, the last one included. O_NOFOLLOW or O_SYMLINK beside it
// is EINVAL (xnu, bsd/vfs/vfs_vnops.c, vn_open_auth).
static inline int capsule_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device) {
    (void)one_device;
    return openat(directory, path, (flags & ~O_NOFOLLOW) | O_NOFOLLOW_ANY, mode);
}

// renameatx_np(2)
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_) {
    return renameatx_np(from, old, to, new_, RENAME_EXCL);
}
static inline int capsule_rename_swap(int from, const char *first, int to, const char *second) {
    return renameatx_np(from, first, to, second, RENAME_SWAP);
}

// fcntl(2) with F_FULLFSYNC, since fsync(2) leaves data in the drive's cache. Some file systems, network ones above all, know
// fsync(2) alone. Any other failure is reported: fsync(2) after it may
// report success for data that is lost.
static inline int capsule_sync(int descriptor) {
    if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
    if (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL) return -1;
    return fsync(descriptor);
}

// fsync_volume_np(3), which returns the error and leaves errno alone. sync(2) returns before anything is written: it is the
// fallback for file systems without that call.
static inline int capsule_sync_file_system(int descriptor) {
    const int number = fsync_volume_np(descriptor, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT);
    if (number == 0) return 0;
    if (number > 0) errno = number;
    if (errno != ENOTSUP && errno != ENOTTY && errno != EINVAL) return -1;
    sync();
    return 0;
}

// APFS has reported data that was not yet on the disk as a hole (coreutils/coreutils#68), so this never asks the system.
static inline int64_t capsule_next_data(int descriptor, int64_t offset) {
    (void)descriptor;
    (void)offset;
    errno = ENOTSUP;
    return -1;
}

// A count above INT_MAX is EINVAL (xnu, bsd/kern/sys_generic.c).
static inline size_t capsule_transferable(size_t count) { return count > INT_MAX ? (size_t)1 << 30 : count; }
static inline ssize_t capsule_pread(int descriptor, void *buffer, size_t count, off_t offset) {
    return pread(descriptor, buffer, capsule_transferable(count), offset);
}
static inline ssize_t capsule_pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    return pwrite(descriptor, buffer, capsule_transferable(count), offset);
}
static inline ssize_t capsule_read(int descriptor, void *buffer, size_t count) {
    return read(descriptor, buffer, capsule_transferable(count));
}
static inline ssize_t capsule_write(int descriptor, const void *buffer, size_t count) {
    return write(descriptor, buffer, capsule_transferable(count));
}

// fgetxattr(2) and its kin. The position is 0: another one is EINVAL but for com.apple.ResourceFork.
static inline ssize_t capsule_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    return fgetxattr(descriptor, name, value, size, 0, 0);
}
static inline int capsule_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0, 0);
}
static inline int capsule_remove_attribute(int descriptor, const char *name) { return fremovexattr(descriptor, name, 0); }
static inline ssize_t capsule_list_attributes(int descriptor, char *names, size_t size) {
    return flistxattr(descriptor, names, size, 0);
}

// acl_get_fd_np(3) reports ENOENT for a file without a list (Libc, posix1e/acl_file.c). Setting an empty list takes it away, as
// `chmod -N` does (file_cmds, chmod/chmod_acl.c).
static inline int capsule_copy_access_list(int from, int to) {
    acl_t list = acl_get_fd_np(from, ACL_TYPE_EXTENDED);
    if (!list) {
        if (errno != ENOENT && errno != ENOTSUP) return -1;
        acl_t inherited = acl_get_fd_np(to, ACL_TYPE_EXTENDED);
        if (!inherited) return 0;
        acl_free(inherited);
        list = acl_init(1);
        if (!list) return -1;
    }
    const int result = acl_set_fd_np(to, list, ACL_TYPE_EXTENDED);
    const int number = errno;
    acl_free(list);
    errno = number;
    return result;
}

static inline uid_t capsule_user_of_files(void) { return geteuid(); }

// acl_get_fd_np(3): ENOENT without a list. An entry that allows anything counts, whatever it allows and to whom: lists that the
// system itself makes deny ("everyone deny delete").
static inline int capsule_list_lets_others_write(int descriptor) {
    const acl_t list = acl_get_fd_np(descriptor, ACL_TYPE_EXTENDED);
    if (!list) return errno == ENOENT || errno == ENOTSUP || errno == EOPNOTSUPP ? 0 : -1;
    int outcome = 0;
    acl_entry_t entry;
    for (int at = ACL_FIRST_ENTRY; !outcome && acl_get_entry(list, at, &entry) == 0; at = ACL_NEXT_ENTRY) {
        acl_tag_t tag;
        if (acl_get_tag_type(entry, &tag) != 0) outcome = -1;
        else if (tag == ACL_EXTENDED_ALLOW) outcome = 1;
    }
    acl_free((void *)list);
    return outcome;
}

// APFS and HFS+ rename every directory.
static inline int capsule_is_layered(int descriptor) {
    (void)descriptor;
    return 0;
}

// Apple's allocator gives memory back by itself.
static inline void capsule_trim_memory(void) {}
