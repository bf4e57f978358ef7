// System calls that Swift cannot make by itself, or that differ between Linux and Apple systems.
//
// Both `linux.h` and `apple.h` define every function below, so that Swift code calls them without asking which system it runs on. A
// function returns -1 and sets errno when it fails, unless its comment says otherwise.
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

// Opens `path` below `directory`, never through a link nor above `directory`. With `one_device`, Linux refuses a path that leads
// past a mount point; elsewhere the caller compares devices.
static inline int capsule_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device);

// Renames without ever replacing: EEXIST if the new name is taken. EINVAL, ENOSYS or ENOTSUP where the file system can't.
static inline int capsule_rename_exclusive(int from, const char *old, int to, const char *new_);

// Exchanges two names. EINVAL, ENOSYS or ENOTSUP where the file system can't.
static inline int capsule_rename_swap(int from, const char *first, int to, const char *second);

// Writes a file or directory to the medium, through the drive's cache.
static inline int capsule_sync(int descriptor);

// The same for the whole file system of `descriptor`; returns when all is written.
static inline int capsule_sync_file_system(int descriptor);

// The offset of the first data at or after `offset`; ENXIO if there is none, another errno where the system can't say.
static inline int64_t capsule_next_data(int descriptor, int64_t offset);

// pread(2), pwrite(2), read(2) and write(2) of any count: a large one may transfer less, and never fails for its size.
static inline ssize_t capsule_pread(int descriptor, void *buffer, size_t count, off_t offset);
static inline ssize_t capsule_pwrite(int descriptor, const void *buffer, size_t count, off_t offset);
static inline ssize_t capsule_read(int descriptor, void *buffer, size_t count);
static inline ssize_t capsule_write(int descriptor, const void *buffer, size_t count);

// Extended attributes of an open file. CAPSULE_NO_ATTRIBUTE is the errno for a name that the file does not have.
static inline ssize_t capsule_get_attribute(int descriptor, const char *name, void *value, size_t size);
static inline int capsule_set_attribute(int descriptor, const char *name, const void *value, size_t size);
static inline int capsule_remove_attribute(int descriptor, const char *name);
static inline ssize_t capsule_list_attributes(int descriptor, char *names, size_t size);

// Gives `to` the access control list of `from`, both open files or directories; where `from` has none, takes away one that `to` has
// from the directory it was made in.
static inline int capsule_copy_access_list(int from, int to);

// The user to whom a file that is made now belongs, and by whom access to files is decided.
static inline uid_t capsule_user_of_files(void);

// Whether the access control list of an open file or directory may let others change it: 1 if so, 0 if not, -1 if the system
// can't say.
static inline int capsule_list_lets_others_write(int descriptor);

// Whether the file system of an open file or directory lays others over each other, and so renames not every directory.
static inline int capsule_is_layered(int descriptor);

// Gives the system back the memory that was freed.
static inline void capsule_trim_memory(void);

#if defined(__linux__)
#include "linux.h"
#elif defined(__APPLE__)
#include <sys/acl.h>
#include "apple.h"
#else
#error "Capsule runs on Linux and Apple systems"
#endif

// The environment, NAME=VALUE each, a null pointer at the end (environ(7)).
extern char **environ;
static inline char **capsule_environment(void) { return environ; }
