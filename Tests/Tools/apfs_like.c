// A FUSE file system that finds names as APFS does by default, over a directory of another file system.
//
//     gcc -O2 apfs_like.c -o apfs_like $(pkg-config --cflags --libs fuse3 libutf8proc)
//     ./apfs_like BACKING MOUNT
//
// It stays in the foreground, and ends when MOUNT is unmounted, on SIGINT, SIGTERM and SIGHUP, and when its parent ends.
//
// What it imitates:
//
// - Names keep their case and their Unicode form, and neither tells two names apart: `A` is found as `a`, `é` of one code point as
//   `é` of two, `ß` as `SS`. Names are compared by canonical decomposition and full case folding.
//   Apple File System Reference, "j_drec_hashed_key_t"; Apple File System Guide, "Frequently Asked Questions", on filenames.
// - A name that is not UTF-8 is EILSEQ, one of more than 255 bytes ENAMETOOLONG.
//   Apple File System Guide, as above; NAME_MAX in xnu's bsd/sys/syslimits.h.
// - rename(2) of an entry to another spelling of its own name changes the spelling, with RENAME_EXCL (here RENAME_NOREPLACE)
//   as well. RENAME_EXCL fails with EEXIST where another entry matches. Without it, that entry is replaced, and the name is spelled
//   as the caller spells it. RENAME_SWAP (here RENAME_EXCHANGE) leaves both spellings as they are.
//   xnu, renameat_internal() in bsd/vfs/vfs_syscalls.c, and tests/rename_excl.c.
// - O_EXCL, mkdir, symlink, link and mknod fail with EEXIST where a name matches.
// - One file is one inode under each spelling, so locks, memory maps and what is written are the same.
//
// What it does not imitate:
//
// - Unicode 9.0: names are compared by the version of libutf8proc, and code points that are not assigned are taken.
// - readdir(3) in the order of hashes: entries come in the order of the directory below.
// - The spelling that F_GETPATH, getcwd(3) and /proc show: Linux shows the one that was asked for last.
// - Flags, ACLs, birth times, clones, sparse files, resource forks. Extended attributes are those of Linux.
// - A rename of `a` to `a` where the entry is spelled `A`: here it stays `A`.
// - The change of a spelling together with a replacement is two renames below. Nobody sees the middle, as requests are served one
//   by one, but a power cut would.
//
// Linux does not tell a file system what a lookup is for, and takes a rename(2) between two names of one inode for nothing to do, or
// for EEXIST. So a lookup of the new name is answered with "nothing there" if it is another spelling of the old name. What the
// caller is doing is read from /proc/TID/syscall, which takes the right to trace it: without that this program refuses to start.
//
// BACKING must hold no two names that match, and nobody else may change it meanwhile.
#define FUSE_USE_VERSION 35
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utf8proc.h>

// The longest name, in bytes, without its end.
enum { LONGEST_NAME = 255 };

typedef struct {
    char bytes[LONGEST_NAME + 1];
} Name;

// MARK: Names

// The form by which names are compared; the caller frees it. NULL, with errno, for what is no name.
static char *folded(const char *name) {
    size_t length = strlen(name);
    if (length > LONGEST_NAME) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    utf8proc_uint8_t *form = NULL;
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD;
    utf8proc_ssize_t outcome = utf8proc_map((const utf8proc_uint8_t *)name, (utf8proc_ssize_t)length, &form, options);
    if (outcome >= 0) return (char *)form;
    errno = outcome == UTF8PROC_ERROR_NOMEM ? ENOMEM : EILSEQ;
    return NULL;
}

static bool is_ascii(const char *name) {
    for (; *name; name++)
        if ((unsigned char)*name >= 0x80) return false;
    return true;
}

// Whether `name` is folded to `wanted`. The common case is decided without folding.
static bool matches(const char *name, const char *wanted) {
    // Some code points beyond ASCII are folded into it, and none of ASCII out of it.
    if (is_ascii(name)) return strcasecmp(name, wanted) == 0;
    char *form = folded(name);
    bool is_match = form && strcmp(form, wanted) == 0;
    free(form);
    return is_match;
}

// Finds the name in a directory that matches `name`, as it is spelled there. 0 or a number of errno.
static int find(int directory, const char *name, Name *found) {
    char *wanted = folded(name);
    if (!wanted) return errno;
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        free(wanted);
        strcpy(found->bytes, name);  // folded() has seen to its length
        return 0;
    }
    int outcome = errno;
    int copy = outcome == ENOENT ? openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *listing = copy < 0 ? NULL : fdopendir(copy);
    if (listing) {
        for (struct dirent *entry; outcome == ENOENT && (entry = readdir(listing));) {
            if (strlen(entry->d_name) > LONGEST_NAME || !matches(entry->d_name, wanted)) continue;
            strcpy(found->bytes, entry->d_name);
            outcome = 0;
        }
        closedir(listing);
    } else {
        if (outcome == ENOENT) outcome = errno;
        if (copy >= 0) close(copy);
    }
    free(wanted);
    return outcome;
}

// MARK: Nodes

// An inode that the kernel knows, held open so that its number is not given to another one.
typedef struct Node {
    struct Node *next;
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t lookups;
} Node;

enum { BUCKETS = 4096 };
static Node *buckets[BUCKETS];
static Node top = {.fd = -1};

static Node *node(fuse_ino_t number) { return number == FUSE_ROOT_ID ? &top : (Node *)(uintptr_t)number; }

static int fd_of(fuse_ino_t number) { return node(number)->fd; }

// A path that leads to an open entry itself, for calls that take no descriptor of O_PATH.
typedef struct {
    char bytes[32];
} OpenPath;

static OpenPath open_path(fuse_ino_t number) {
    OpenPath path;
    snprintf(path.bytes, sizeof path.bytes, "/proc/self/fd/%d", fd_of(number));
    return path;
}

static Node **place_of(dev_t device, ino_t inode) {
    Node **place = &buckets[inode % BUCKETS];
    while (*place && ((*place)->inode != inode || (*place)->device != device)) place = &(*place)->next;
    return place;
}

// Tells of an entry by the name that it has below. 0 or a number of errno.
static int describe(int directory, const Name *name, struct fuse_entry_param *entry) {
    memset(entry, 0, sizeof *entry);
    int fd = openat(directory, name->bytes, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return errno;
    if (fstatat(fd, "", &entry->attr, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) {
        int number = errno;
        close(fd);
        return number;
    }
    Node **place = place_of(entry->attr.st_dev, entry->attr.st_ino);
    if (*place) {
        close(fd);
    } else {
        Node *made = calloc(1, sizeof *made);
        if (!made) {
            close(fd);
            return ENOMEM;
        }
        *made = (Node){.fd = fd, .device = entry->attr.st_dev, .inode = entry->attr.st_ino};
        *place = made;
    }
    (*place)->lookups++;
    entry->ino = (uintptr_t)*place;
    return 0;
}

static void forget_one(fuse_ino_t number, uint64_t count) {
    if (number == FUSE_ROOT_ID) return;
    Node *gone = node(number);
    gone->lookups -= count < gone->lookups ? count : gone->lookups;
    if (gone->lookups > 0) return;
    Node **place = place_of(gone->device, gone->inode);
    if (*place == gone) *place = gone->next;
    close(gone->fd);
    free(gone);
}

static void apfs_forget(fuse_req_t request, fuse_ino_t number, uint64_t count) {
    forget_one(number, count);
    fuse_reply_none(request);
}

static void apfs_forget_multi(fuse_req_t request, size_t count, struct fuse_forget_data *all) {
    for (size_t at = 0; at < count; at++) forget_one(all[at].ino, all[at].nlookup);
    fuse_reply_none(request);
}

// MARK: Lookups

// What a thread has found last.
typedef struct {
    pid_t thread;
    fuse_ino_t parent;
    Name asked;
    Name found;
} Lookup;

enum { RECENT = 4096 };
static Lookup recent[RECENT];

// The line of /proc/TID/syscall, which says `running` until the thread sleeps. Whether it can be read.
static bool read_syscall(pid_t thread, char *line, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)thread);
    for (int turn = 0; turn < 10000; turn++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? -1 : read(fd, line, size - 1);
        if (fd >= 0) close(fd);
        if (length <= 0) return false;
        line[length] = 0;
        if (strncmp(line, "running", 7) != 0) return true;
        sched_yield();
    }
    return false;
}

// Whether a thread waits in a rename(2) that is to give a new name, and not to exchange two.
static bool is_renaming(pid_t thread) {
    char line[256];
    if (!read_syscall(thread, line, sizeof line)) return false;
    long number = -1;
    unsigned long words[5] = {0};
    if (sscanf(line, "%ld %lx %lx %lx %lx %lx", &number, &words[0], &words[1], &words[2], &words[3], &words[4]) < 1) return false;
#ifdef SYS_rename
    if (number == SYS_rename) return true;
#endif
#ifdef SYS_renameat
    if (number == SYS_renameat) return true;
#endif
    return number == SYS_renameat2 && !(words[4] & RENAME_EXCHANGE);
}

static void apfs_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
    Name found;
    int outcome = find(fd_of(parent), name, &found);
    struct fuse_entry_param entry;
    if (outcome == 0) {
        pid_t thread = fuse_req_ctx(request)->pid;
        Lookup *last = &recent[(unsigned)thread % RECENT];
        bool is_same = last->thread == thread && last->parent == parent && strcmp(last->found.bytes, found.bytes) == 0;
        if (is_same && strcmp(name, found.bytes) != 0 && strcmp(name, last->asked.bytes) != 0 && is_renaming(thread)) {
            outcome = ENOENT;
        } else {
            *last = (Lookup){.thread = thread, .parent = parent, .found = found};
            strcpy(last->asked.bytes, name);  // find() has seen to its length
            outcome = describe(fd_of(parent), &found, &entry);
        }
    }
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        fuse_reply_entry(request, &entry);
}

// MARK: Making and deleting

// Finds no entry of a name. 0, EEXIST where there is one, or another number of errno.
static int find_none(int directory, const char *name) {
    Name found;
    int outcome = find(directory, name, &found);
    return outcome == 0 ? EEXIST : outcome == ENOENT ? 0 : outcome;
}

// Gives what was made to who asked for it, and tells of it.
static void made(fuse_req_t request, fuse_ino_t parent, const char *name) {
    Name spelled;
    strcpy(spelled.bytes, name);  // find_none() has seen to its length
    const struct fuse_ctx *caller = fuse_req_ctx(request);
    struct fuse_entry_param entry;
    int outcome = 0;
    if (geteuid() == 0 && fchownat(fd_of(parent), name, caller->uid, caller->gid, AT_SYMLINK_NOFOLLOW) != 0) outcome = errno;
    if (outcome == 0) outcome = describe(fd_of(parent), &spelled, &entry);
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        fuse_reply_entry(request, &entry);
}

static void apfs_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode) {
    int outcome = find_none(fd_of(parent), name);
    if (outcome == 0 && mkdirat(fd_of(parent), name, mode) != 0) outcome = errno;
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        made(request, parent, name);
}

static void apfs_mknod(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, dev_t device) {
    int outcome = find_none(fd_of(parent), name);
    if (outcome == 0 && mknodat(fd_of(parent), name, mode, device) != 0) outcome = errno;
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        made(request, parent, name);
}

static void apfs_symlink(fuse_req_t request, const char *target, fuse_ino_t parent, const char *name) {
    int outcome = find_none(fd_of(parent), name);
    if (outcome == 0 && symlinkat(target, fd_of(parent), name) != 0) outcome = errno;
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        made(request, parent, name);
}

static void apfs_link(fuse_req_t request, fuse_ino_t number, fuse_ino_t parent, const char *name) {
    int outcome = find_none(fd_of(parent), name);
    OpenPath path = open_path(number);
    if (outcome == 0 && linkat(AT_FDCWD, path.bytes, fd_of(parent), name, AT_SYMLINK_FOLLOW) != 0) outcome = errno;
    Name spelled;
    struct fuse_entry_param entry;
    if (outcome == 0) {
        strcpy(spelled.bytes, name);
        outcome = describe(fd_of(parent), &spelled, &entry);
    }
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        fuse_reply_entry(request, &entry);
}

static void delete(fuse_req_t request, fuse_ino_t parent, const char *name, int flags) {
    Name found;
    int outcome = find(fd_of(parent), name, &found);
    if (outcome == 0 && unlinkat(fd_of(parent), found.bytes, flags) != 0) outcome = errno;
    fuse_reply_err(request, outcome);
}

static void apfs_unlink(fuse_req_t request, fuse_ino_t parent, const char *name) { delete(request, parent, name, 0); }

static void apfs_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name) { delete(request, parent, name, AT_REMOVEDIR); }

// MARK: Renaming

static int rename_below(int from, const char *old, int to, const char *new, unsigned flags) {
    return syscall(SYS_renameat2, from, old, to, new, flags) == 0 ? 0 : errno;
}

// Renames an entry to a name that another one matches.
static int replace(int from, const Name *old, int to, const Name *present, const char *new, unsigned flags) {
    if (flags & RENAME_NOREPLACE) return EEXIST;
    int outcome = rename_below(from, old->bytes, to, present->bytes, flags);
    if (outcome != 0 || flags & RENAME_EXCHANGE || strcmp(present->bytes, new) == 0) return outcome;
    // Two names of one file: rename(2) leaves both.
    struct stat status;
    if (fstatat(from, old->bytes, &status, AT_SYMLINK_NOFOLLOW) == 0 && !(from == to && strcmp(old->bytes, present->bytes) == 0))
        return 0;
    return rename_below(to, present->bytes, to, new, RENAME_NOREPLACE);
}

static void apfs_rename(
    fuse_req_t request, fuse_ino_t old_parent, const char *old_name, fuse_ino_t new_parent, const char *new_name, unsigned flags
) {
    int from = fd_of(old_parent), to = fd_of(new_parent);
    Name old, present;
    int outcome = find(from, old_name, &old);
    if (outcome == 0) {
        outcome = find(to, new_name, &present);
        bool is_same = outcome == 0 && old_parent == new_parent && strcmp(old.bytes, present.bytes) == 0;
        if (outcome == ENOENT)
            outcome = rename_below(from, old.bytes, to, new_name, flags);
        else if (is_same)
            // The same entry: it takes the new spelling.
            outcome = strcmp(old.bytes, new_name) == 0 || flags & RENAME_EXCHANGE
                ? 0 : rename_below(from, old.bytes, to, new_name, RENAME_NOREPLACE);
        else if (outcome == 0)
            outcome = replace(from, &old, to, &present, new_name, flags);
    }
    fuse_reply_err(request, outcome);
}

// MARK: Facts

static void apfs_getattr(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    struct stat status;
    int outcome = file ? fstat((int)file->fh, &status) : fstatat(fd_of(number), "", &status, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
    if (outcome != 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_attr(request, &status, 0);
}

static struct timespec time_to_set(int changes, int is_set, int is_now, struct timespec time) {
    if (changes & is_now) return (struct timespec){.tv_nsec = UTIME_NOW};
    return changes & is_set ? time : (struct timespec){.tv_nsec = UTIME_OMIT};
}

static int set_facts(fuse_ino_t number, const struct stat *wanted, int changes, const struct fuse_file_info *file) {
    OpenPath path = open_path(number);
    if (changes & FUSE_SET_ATTR_MODE && chmod(path.bytes, wanted->st_mode) != 0) return errno;
    if (changes & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) {
        uid_t user = changes & FUSE_SET_ATTR_UID ? wanted->st_uid : (uid_t)-1;
        gid_t group = changes & FUSE_SET_ATTR_GID ? wanted->st_gid : (gid_t)-1;
        if (fchownat(fd_of(number), "", user, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) != 0) return errno;
    }
    if (changes & FUSE_SET_ATTR_SIZE) {
        int outcome = file ? ftruncate((int)file->fh, wanted->st_size) : truncate(path.bytes, wanted->st_size);
        if (outcome != 0) return errno;
    }
    const struct timespec times[2] = {
        time_to_set(changes, FUSE_SET_ATTR_ATIME, FUSE_SET_ATTR_ATIME_NOW, wanted->st_atim),
        time_to_set(changes, FUSE_SET_ATTR_MTIME, FUSE_SET_ATTR_MTIME_NOW, wanted->st_mtim),
    };
    if (times[0].tv_nsec == UTIME_OMIT && times[1].tv_nsec == UTIME_OMIT) return 0;
    return utimensat(fd_of(number), "", times, AT_EMPTY_PATH) == 0 ? 0 : errno;
}

static void apfs_setattr(fuse_req_t request, fuse_ino_t number, struct stat *wanted, int changes, struct fuse_file_info *file) {
    int outcome = set_facts(number, wanted, changes, file);
    if (outcome != 0)
        fuse_reply_err(request, outcome);
    else
        apfs_getattr(request, number, file);
}

static void apfs_readlink(fuse_req_t request, fuse_ino_t number) {
    char target[PATH_MAX + 1];
    ssize_t length = readlinkat(fd_of(number), "", target, sizeof target);
    if (length < 0) {
        fuse_reply_err(request, errno);
    } else if ((size_t)length >= sizeof target) {
        fuse_reply_err(request, ENAMETOOLONG);
    } else {
        target[length] = 0;
        fuse_reply_readlink(request, target);
    }
}

static void apfs_statfs(fuse_req_t request, fuse_ino_t number) {
    struct statvfs status;
    (void)number;
    if (fstatvfs(top.fd, &status) != 0) {
        fuse_reply_err(request, errno);
        return;
    }
    status.f_namemax = LONGEST_NAME;
    fuse_reply_statfs(request, &status);
}

static void apfs_setxattr(fuse_req_t request, fuse_ino_t number, const char *name, const char *value, size_t size, int flags) {
    OpenPath path = open_path(number);
    fuse_reply_err(request, setxattr(path.bytes, name, value, size, flags) == 0 ? 0 : errno);
}

static void apfs_removexattr(fuse_req_t request, fuse_ino_t number, const char *name) {
    OpenPath path = open_path(number);
    fuse_reply_err(request, removexattr(path.bytes, name) == 0 ? 0 : errno);
}

// Answers with the bytes of an attribute or of the list of names (`name` is NULL), or with their number if `size` is 0.
static void reply_xattr(fuse_req_t request, fuse_ino_t number, const char *name, size_t size) {
    OpenPath path = open_path(number);
    char *value = size > 0 ? malloc(size) : NULL;
    ssize_t length = -1;
    if (size > 0 && !value)
        errno = ENOMEM;
    else
        length = name ? getxattr(path.bytes, name, value, size) : listxattr(path.bytes, value, size);
    if (length < 0)
        fuse_reply_err(request, errno);
    else if (size == 0)
        fuse_reply_xattr(request, (size_t)length);
    else
        fuse_reply_buf(request, value, (size_t)length);
    free(value);
}

static void apfs_getxattr(fuse_req_t request, fuse_ino_t number, const char *name, size_t size) {
    reply_xattr(request, number, name, size);
}

static void apfs_listxattr(fuse_req_t request, fuse_ino_t number, size_t size) { reply_xattr(request, number, NULL, size); }

// MARK: Files

// What the kernel sees to by itself is left out.
static int flags_below(int flags) { return (flags & ~(O_APPEND | O_DIRECT | O_NOFOLLOW | O_CREAT | O_EXCL)) | O_CLOEXEC; }

static void apfs_open(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    OpenPath path = open_path(number);
    int fd = open(path.bytes, flags_below(file->flags));
    if (fd < 0) {
        fuse_reply_err(request, errno);
        return;
    }
    file->fh = (uint64_t)fd;
    if (fuse_reply_open(request, file) != 0) close(fd);
}

static void apfs_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *file) {
    Name found;
    int outcome = find(fd_of(parent), name, &found);
    bool is_new = outcome == ENOENT;
    if (is_new) {
        strcpy(found.bytes, name);  // find() has seen to its length
        outcome = 0;
    } else if (outcome == 0 && file->flags & O_EXCL) {
        outcome = EEXIST;
    }
    struct fuse_entry_param entry;
    int fd = -1;
    if (outcome == 0) {
        fd = openat(fd_of(parent), found.bytes, flags_below(file->flags) | O_CREAT | O_NOFOLLOW | (is_new ? O_EXCL : 0), mode);
        if (fd < 0) outcome = errno;
    }
    const struct fuse_ctx *caller = fuse_req_ctx(request);
    if (outcome == 0 && is_new && geteuid() == 0 && fchown(fd, caller->uid, caller->gid) != 0) outcome = errno;
    if (outcome == 0) outcome = describe(fd_of(parent), &found, &entry);
    if (outcome != 0) {
        if (fd >= 0) close(fd);
        fuse_reply_err(request, outcome);
        return;
    }
    file->fh = (uint64_t)fd;
    if (fuse_reply_create(request, &entry, file) != 0) close(fd);
}

static void apfs_read(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file) {
    (void)number;
    struct fuse_bufvec buffer = FUSE_BUFVEC_INIT(size);
    buffer.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
    buffer.buf[0].fd = (int)file->fh;
    buffer.buf[0].pos = offset;
    fuse_reply_data(request, &buffer, 0);
}

static void apfs_write(
    fuse_req_t request, fuse_ino_t number, const char *bytes, size_t size, off_t offset, struct fuse_file_info *file
) {
    (void)number;
    ssize_t written = pwrite((int)file->fh, bytes, size, offset);
    if (written < 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_write(request, (size_t)written);
}

static void apfs_lseek(fuse_req_t request, fuse_ino_t number, off_t offset, int whence, struct fuse_file_info *file) {
    (void)number;
    off_t found = lseek((int)file->fh, offset, whence);
    if (found < 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_lseek(request, found);
}

static void apfs_fsync(fuse_req_t request, fuse_ino_t number, int is_data, struct fuse_file_info *file) {
    (void)number;
    int outcome = is_data ? fdatasync((int)file->fh) : fsync((int)file->fh);
    fuse_reply_err(request, outcome == 0 ? 0 : errno);
}

static void apfs_release(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    (void)number;
    close((int)file->fh);
    fuse_reply_err(request, 0);
}

// MARK: Directories

static DIR *listing_of(const struct fuse_file_info *file) { return (DIR *)(uintptr_t)file->fh; }

static void apfs_opendir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    int fd = openat(fd_of(number), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (!listing) {
        int outcome = errno;
        if (fd >= 0) close(fd);
        fuse_reply_err(request, outcome);
        return;
    }
    file->fh = (uintptr_t)listing;
    if (fuse_reply_open(request, file) != 0) closedir(listing);
}

static void apfs_readdir(fuse_req_t request, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *file) {
    (void)number;
    DIR *listing = listing_of(file);
    char *buffer = malloc(size);
    if (!buffer) {
        fuse_reply_err(request, ENOMEM);
        return;
    }
    if (offset == 0)
        rewinddir(listing);
    else if (telldir(listing) != offset)
        seekdir(listing, offset);
    size_t used = 0;
    errno = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        struct stat status = {.st_ino = entry->d_ino, .st_mode = (mode_t)DTTOIF(entry->d_type)};
        size_t length = fuse_add_direntry(request, buffer + used, size - used, entry->d_name, &status, entry->d_off);
        if (length > size - used) {
            // It comes again with the next request, which begins where the last one that fits says.
            seekdir(listing, offset);
            errno = 0;
            break;
        }
        used += length;
        offset = entry->d_off;
        errno = 0;
    }
    if (errno != 0 && used == 0)
        fuse_reply_err(request, errno);
    else
        fuse_reply_buf(request, buffer, used);
    free(buffer);
}

static void apfs_releasedir(fuse_req_t request, fuse_ino_t number, struct fuse_file_info *file) {
    (void)number;
    closedir(listing_of(file));
    fuse_reply_err(request, 0);
}

static void apfs_fsyncdir(fuse_req_t request, fuse_ino_t number, int is_data, struct fuse_file_info *file) {
    (void)number;
    (void)is_data;
    fuse_reply_err(request, fsync(dirfd(listing_of(file))) == 0 ? 0 : errno);
}

// MARK: The program

// Locks are not here: the kernel keeps them itself, by inode.
static const struct fuse_lowlevel_ops operations = {
    .lookup = apfs_lookup, .forget = apfs_forget, .forget_multi = apfs_forget_multi, .getattr = apfs_getattr,
    .setattr = apfs_setattr, .readlink = apfs_readlink, .mknod = apfs_mknod, .mkdir = apfs_mkdir, .unlink = apfs_unlink,
    .rmdir = apfs_rmdir, .symlink = apfs_symlink, .rename = apfs_rename, .link = apfs_link, .open = apfs_open, .read = apfs_read,
    .write = apfs_write, .release = apfs_release, .fsync = apfs_fsync, .opendir = apfs_opendir, .readdir = apfs_readdir,
    .releasedir = apfs_releasedir, .fsyncdir = apfs_fsyncdir, .statfs = apfs_statfs, .setxattr = apfs_setxattr,
    .getxattr = apfs_getxattr, .listxattr = apfs_listxattr, .removexattr = apfs_removexattr, .create = apfs_create,
    .lseek = apfs_lseek,
};

// Each entry that the kernel knows takes a descriptor.
static void raise_descriptor_limit(void) {
    struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static int serve(const char *mount) {
    // Whoever may see that somebody is not root sees what the permissions are, if the kernel checks them.
    const char *options = geteuid() == 0 ? "default_permissions,allow_other,fsname=apfs_like" : "default_permissions,fsname=apfs_like";
    char *words[] = {"apfs_like", "-o", (char *)options};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, &operations, sizeof operations, NULL);
    fuse_opt_free_args(&arguments);
    if (!session) return 1;
    int outcome = 1;
    if (fuse_set_signal_handlers(session) == 0) {
        if (fuse_session_mount(session, mount) == 0) {
            outcome = fuse_session_loop(session) < 0 ? 1 : 0;
            fuse_session_unmount(session);
        }
        fuse_remove_signal_handlers(session);
    }
    fuse_session_destroy(session);
    return outcome;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: apfs_like BACKING MOUNT\n");
        return 64;
    }
    pid_t parent = getppid();
    char line[256];
    if (!read_syscall(parent, line, sizeof line)) {
        fprintf(stderr, "apfs_like: /proc/%d/syscall can't be read: only who may trace other processes can run this\n", (int)parent);
        return 1;
    }
    top.fd = open(words[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top.fd < 0) {
        fprintf(stderr, "apfs_like: cannot open %s: %s\n", words[1], strerror(errno));
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) return 1;
    umask(0);
    raise_descriptor_limit();
    return serve(words[2]);
}
