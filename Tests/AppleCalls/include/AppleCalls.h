// `Sources/CSystem/apple.h` for tests: on Linux above fake calls that answer as Apple's kernel does, on a Mac above the real ones.
//
// Each function is the one of that header whose name begins with `capsule_` instead of `apple_`. The fake calls are in `xnu.h`,
// each rule with its source; a test that passes on Linux and fails on a Mac shows that a rule is wrong.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What the calls look for, with the values that xnu gives them where Linux has none.
enum {
    APPLE_O_SYMLINK = 0x00200000,       // bsd/sys/fcntl.h
    APPLE_O_NOFOLLOW_ANY = 0x20000000,  // bsd/sys/fcntl.h
    APPLE_ENOATTR = 93,                 // bsd/sys/errno.h
};

#if defined(__linux__)
// The calls that `apple_fail` can make fail.
enum apple_call {
    APPLE_FULL_SYNC,
    APPLE_SYNC_VOLUME,
    APPLE_RENAME,
    APPLE_CALLS,
};

// Lets `call` fail with `number` until it is set to 0.
void apple_fail(enum apple_call call, int number);

// What the fake calls saw since `apple_forget`, on the calling thread.
struct apple_record {
    int full_syncs;    // fcntl(2) with F_FULLFSYNC
    int plain_syncs;   // fsync(2)
    int volume_syncs;  // fsync_volume_np(3)
    int volume_flags;  // the flags of the last one
    int all_syncs;     // sync(2)
    size_t largest;    // the largest count that a call was asked to transfer
};
struct apple_record apple_seen(void);
void apple_forget(void);

// Gives a file an access control list, as in "everyone:deny delete,user:allow write", and reads it.
int xnu_put_list(int descriptor, const char *list);
ssize_t xnu_list(int descriptor, char *list, size_t size);

#endif

// The kernel's own answers, for tests of the rules: -1 and errno.
int xnu_open(int directory, const char *path, int flags);
ssize_t xnu_read(int descriptor, void *buffer, size_t count);

int apple_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device);
int apple_rename_exclusive(int from, const char *old, int to, const char *new_);
int apple_rename_swap(int from, const char *first, int to, const char *second);
int apple_sync(int descriptor);
int apple_sync_file_system(int descriptor);
int64_t apple_next_data(int descriptor, int64_t offset);
ssize_t apple_pread(int descriptor, void *buffer, size_t count, off_t offset);
ssize_t apple_pwrite(int descriptor, const void *buffer, size_t count, off_t offset);
ssize_t apple_read(int descriptor, void *buffer, size_t count);
ssize_t apple_write(int descriptor, const void *buffer, size_t count);
ssize_t apple_get_attribute(int descriptor, const char *name, void *value, size_t size);
int apple_set_attribute(int descriptor, const char *name, const void *value, size_t size);
int apple_remove_attribute(int descriptor, const char *name);
ssize_t apple_list_attributes(int descriptor, char *names, size_t size);
int apple_list_lets_others_write(int descriptor);
int apple_no_attribute(void);
int apple_copy_access_list(int from, int to);
