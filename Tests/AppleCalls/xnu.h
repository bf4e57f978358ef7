// Apple's calls as `apple.h` uses them, made by Linux's: each checks its arguments and reports errors as xnu does. Files are
// those of apple-oss-distributions/xnu and /Libc.
#pragma once

#include "AppleCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// bsd/sys/fcntl.h, bsd/sys/stdio.h, unistd.h of Libc, bsd/sys/xattr.h, bsd/sys/errno.h
#define O_SYMLINK APPLE_O_SYMLINK
#define O_NOFOLLOW_ANY APPLE_O_NOFOLLOW_ANY
#define F_FULLFSYNC 51
#define RENAME_SWAP 0x00000002
#define RENAME_EXCL 0x00000004
#define SYNC_VOLUME_FULLSYNC 0x01
#define SYNC_VOLUME_WAIT 0x02
#define XATTR_NOFOLLOW 0x0001
#define XATTR_NOSECURITY 0x0008
#define XATTR_NODEFAULT 0x0010
#define XATTR_MAXNAMELEN 127
#define ENOATTR APPLE_ENOATTR

enum { ACL_TYPE_EXTENDED = 0x100, ACL_FIRST_ENTRY = 0, ACL_NEXT_ENTRY = -1, ACL_EXTENDED_ALLOW = 1, ACL_EXTENDED_DENY = 2 };

static _Thread_local int failures[APPLE_CALLS];
static _Thread_local struct apple_record record;

static int failed(int number) {
    errno = number;
    return -1;
}

// bsd/vfs/vfs_vnops.c, vn_open_auth: O_NOFOLLOW_ANY excludes O_NOFOLLOW and O_SYMLINK, O_CREAT excludes O_DIRECTORY; the first
// link on the way is ELOOP.
static int xnu_openat(int directory, const char *path, int flags, mode_t mode) {
    if ((flags & O_NOFOLLOW_ANY) && (flags & (O_NOFOLLOW | O_SYMLINK))) return failed(EINVAL);
    if ((flags & O_CREAT) && (flags & O_DIRECTORY)) return failed(EINVAL);
    struct open_how how = {.flags = (uint64_t)(flags & ~(O_NOFOLLOW_ANY | O_SYMLINK))};
    if (flags & O_CREAT) how.mode = mode;
    if (flags & O_NOFOLLOW_ANY) how.resolve = RESOLVE_NO_SYMLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

// Whether a name is UTF-8 without surrogates or overlong forms.
static bool is_utf8(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const int more = *at < 0x80 ? 0 : *at >= 0xC2 && *at < 0xE0 ? 1 : *at >= 0xE0 && *at < 0xF0 ? 2 : *at >= 0xF0 && *at < 0xF5 ? 3 : -1;
        if (more < 0) return false;
        const unsigned char lead = *at++;
        for (int number = 0; number < more; number++, at++) {
            const unsigned char least = number ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            const unsigned char most = number ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            if (*at < least || *at > most) return false;
        }
    }
    return true;
}

// bsd/vfs/vfs_syscalls.c, renameatx_np: SWAP and EXCL exclude each other; ENOTSUP where the file system has neither. APFS answers
// EILSEQ for a name that is not UTF-8.
static int xnu_renameatx_np(int from, const char *old, int to, const char *new_, unsigned flags) {
    if ((flags & RENAME_SWAP) && (flags & RENAME_EXCL)) return failed(EINVAL);
    if (flags & ~(unsigned)(RENAME_SWAP | RENAME_EXCL)) return failed(EINVAL);
    if (!is_utf8(old) || !is_utf8(new_)) return failed(EILSEQ);
    if (flags && failures[APPLE_RENAME]) return failed(failures[APPLE_RENAME]);
    const unsigned own = flags & RENAME_SWAP ? 2 : flags & RENAME_EXCL ? 1 : 0;
    return (int)syscall(SYS_renameat2, from, old, to, new_, own);
}

// bsd/kern/kern_descrip.c, F_FULLFSYNC: what VNOP_IOCTL answers, ENOTSUP or ENOTTY on file systems that can't.
static int xnu_fcntl(int descriptor, int command) {
    if (command != F_FULLFSYNC) return failed(EINVAL);
    record.full_syncs++;
    if (failures[APPLE_FULL_SYNC]) return failed(failures[APPLE_FULL_SYNC]);
    return fsync(descriptor);
}

static int xnu_fsync(int descriptor) {
    record.plain_syncs++;
    return fsync(descriptor);
}

// Libc, gen/sync_volume_np.c: returns the error, and restores errno.
static int xnu_fsync_volume_np(int descriptor, int flags) {
    const int before = errno;
    record.volume_syncs++;
    record.volume_flags = flags;
    const int number =
        failures[APPLE_SYNC_VOLUME] ? failures[APPLE_SYNC_VOLUME] : syscall(SYS_syncfs, descriptor) == 0 ? 0 : errno;
    errno = before;
    return number;
}

static void xnu_sync(void) { record.all_syncs++; }

// bsd/kern/sys_generic.c, read_internal, write_internal and their kin: more than INT_MAX bytes are EINVAL. The fake touches no
// more of the buffer than its first few bytes, as a device may.
static size_t transferred(size_t count) { return count < 16 ? count : 16; }
static bool is_too_large(size_t count) {
    if (count > record.largest) record.largest = count;
    return count > INT_MAX;
}
static ssize_t xnu_pread(int descriptor, void *buffer, size_t count, off_t offset) {
    return is_too_large(count) ? failed(EINVAL) : pread(descriptor, buffer, transferred(count), offset);
}
static ssize_t xnu_pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    return is_too_large(count) ? failed(EINVAL) : pwrite(descriptor, buffer, transferred(count), offset);
}
static ssize_t xnu_plain_read(int descriptor, void *buffer, size_t count) {
    return is_too_large(count) ? failed(EINVAL) : read(descriptor, buffer, transferred(count));
}
static ssize_t xnu_write(int descriptor, const void *buffer, size_t count) {
    return is_too_large(count) ? failed(EINVAL) : write(descriptor, buffer, transferred(count));
}

// bsd/vfs/vfs_xattr.c and vfs_syscalls.c: options that only paths take are EINVAL, names end at XATTR_MAXNAMELEN, a position is
// for the resource fork alone, and ENOATTR is the name for what is not there.
static int attribute_problem(const char *name, uint32_t position, int options) {
    if (options & (XATTR_NOFOLLOW | XATTR_NOSECURITY | XATTR_NODEFAULT)) return EINVAL;
    if (name && strlen(name) > XATTR_MAXNAMELEN) return ENAMETOOLONG;
    if (position && (!name || strcmp(name, "com.apple.ResourceFork") != 0)) return EINVAL;
    return 0;
}
static ssize_t with_attribute_error(ssize_t result) {
    if (result < 0 && errno == ENODATA) errno = ENOATTR;
    return result;
}
static ssize_t xnu_fgetxattr(int descriptor, const char *name, void *value, size_t size, uint32_t position, int options) {
    const int problem = attribute_problem(name, position, options);
    return problem ? failed(problem) : with_attribute_error(fgetxattr(descriptor, name, value, size));
}
static int xnu_fsetxattr(int descriptor, const char *name, const void *value, size_t size, uint32_t position, int options) {
    const int problem = attribute_problem(name, position, options);
    if (problem) return failed(problem);
    if (size && !value) return failed(EINVAL);
    return (int)with_attribute_error(fsetxattr(descriptor, name, value, size, 0));
}
static int xnu_fremovexattr(int descriptor, const char *name, int options) {
    const int problem = attribute_problem(name, 0, options);
    return problem ? failed(problem) : (int)with_attribute_error(fremovexattr(descriptor, name));
}
static ssize_t xnu_flistxattr(int descriptor, char *names, size_t size, int options) {
    const int problem = attribute_problem(NULL, 0, options);
    return problem ? failed(problem) : flistxattr(descriptor, names, size);
}

// posix1e/acl_file.c of Libc: a list of another type than ACL_TYPE_EXTENDED is EINVAL, and no list is ENOENT. A list without entries
// takes the file's away. Here a list is a text in an attribute of Linux's, of entries as ls(1) shows them, with commas between.
#define XNU_LIST "user.xnu-access-list"
typedef struct xnu_acl {
    ssize_t size;
    char text[256];
    const char *next;
} *acl_t;
typedef const char *acl_entry_t;
typedef int acl_tag_t;
static acl_t xnu_acl_init(int count) {
    (void)count;
    return calloc(1, sizeof(struct xnu_acl));
}
static int xnu_acl_free(void *list) {
    free(list);
    return 0;
}
static acl_t xnu_acl_get_fd_np(int descriptor, int type) {
    if (type != ACL_TYPE_EXTENDED) return (void)failed(EINVAL), NULL;
    acl_t list = xnu_acl_init(1);
    if (!list) return NULL;
    list->size = fgetxattr(descriptor, XNU_LIST, list->text, sizeof list->text);
    if (list->size >= 0) return list;
    xnu_acl_free(list);
    return (void)failed(errno == ENODATA ? ENOENT : errno), NULL;
}
static int xnu_acl_set_fd_np(int descriptor, acl_t list, int type) {
    if (type != ACL_TYPE_EXTENDED || !list) return failed(EINVAL);
    if (list->size) return fsetxattr(descriptor, XNU_LIST, list->text, (size_t)list->size, 0);
    return fremovexattr(descriptor, XNU_LIST) == 0 || errno == ENODATA ? 0 : -1;
}
// posix1e/acl_entry.c and acl.c: behind the last entry is EINVAL.
static int xnu_acl_get_entry(acl_t list, int which, acl_entry_t *entry) {
    if (which == ACL_FIRST_ENTRY) list->next = list->size ? list->text : NULL;
    if (!list->next) return failed(EINVAL);
    *entry = list->next;
    const char *end = strchr(list->next, ',');
    list->next = end ? end + 1 : NULL;
    return 0;
}
static int xnu_acl_get_tag_type(acl_entry_t entry, acl_tag_t *tag) {
    const char *colon = strchr(entry, ':');
    *tag = colon && strncmp(colon, ":allow", 6) == 0 ? ACL_EXTENDED_ALLOW : ACL_EXTENDED_DENY;
    return 0;
}
