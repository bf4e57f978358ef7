// The functions of `apple.h`; on Linux with the calls of `xnu.h` in place of the system's.
#if defined(__linux__)
#define _GNU_SOURCE
#include "xnu.h"

#define openat xnu_openat
#define renameatx_np xnu_renameatx_np
#define fcntl xnu_fcntl
#define fsync xnu_fsync
#define fsync_volume_np xnu_fsync_volume_np
#define sync xnu_sync
#define pread xnu_pread
#define pwrite xnu_pwrite
#define read xnu_plain_read
#define write xnu_write
#define fgetxattr xnu_fgetxattr
#define fsetxattr xnu_fsetxattr
#define fremovexattr xnu_fremovexattr
#define flistxattr xnu_flistxattr
#define acl_get_fd_np xnu_acl_get_fd_np
#define acl_set_fd_np xnu_acl_set_fd_np
#define acl_init xnu_acl_init
#define acl_free xnu_acl_free
#define acl_get_entry xnu_acl_get_entry
#define acl_get_tag_type xnu_acl_get_tag_type
#include "../../Sources/CSystem/apple.h"
#undef openat
#undef fsetxattr
#undef fgetxattr
#undef read

void apple_fail(enum apple_call call, int number) { failures[call] = number; }
struct apple_record apple_seen(void) { return record; }
void apple_forget(void) { record = (struct apple_record){0}; }

int xnu_open(int directory, const char *path, int flags) { return xnu_openat(directory, path, flags, 0); }
ssize_t xnu_read(int descriptor, void *buffer, size_t count) { return xnu_plain_read(descriptor, buffer, count); }
int xnu_put_list(int descriptor, const char *list) { return fsetxattr(descriptor, XNU_LIST, list, strlen(list), 0); }
ssize_t xnu_list(int descriptor, char *list, size_t size) { return fgetxattr(descriptor, XNU_LIST, list, size); }
#else
#include "AppleCalls.h"

#include "../../Sources/CSystem/shim.h"

int xnu_open(int directory, const char *path, int flags) { return openat(directory, path, flags); }
ssize_t xnu_read(int descriptor, void *buffer, size_t count) { return read(descriptor, buffer, count); }
#endif

int apple_open_beneath(int directory, const char *path, int flags, mode_t mode, int one_device) {
    return capsule_open_beneath(directory, path, flags, mode, one_device);
}
int apple_rename_exclusive(int from, const char *old, int to, const char *new_) {
    return capsule_rename_exclusive(from, old, to, new_);
}
int apple_rename_swap(int from, const char *first, int to, const char *second) {
    return capsule_rename_swap(from, first, to, second);
}
int apple_sync(int descriptor) { return capsule_sync(descriptor); }
int apple_sync_file_system(int descriptor) { return capsule_sync_file_system(descriptor); }
int64_t apple_next_data(int descriptor, int64_t offset) { return capsule_next_data(descriptor, offset); }
ssize_t apple_pread(int descriptor, void *buffer, size_t count, off_t offset) {
    return capsule_pread(descriptor, buffer, count, offset);
}
ssize_t apple_pwrite(int descriptor, const void *buffer, size_t count, off_t offset) {
    return capsule_pwrite(descriptor, buffer, count, offset);
}
ssize_t apple_read(int descriptor, void *buffer, size_t count) { return capsule_read(descriptor, buffer, count); }
ssize_t apple_write(int descriptor, const void *buffer, size_t count) { return capsule_write(descriptor, buffer, count); }
ssize_t apple_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    return capsule_get_attribute(descriptor, name, value, size);
}
int apple_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return capsule_set_attribute(descriptor, name, value, size);
}
int apple_remove_attribute(int descriptor, const char *name) { return capsule_remove_attribute(descriptor, name); }
ssize_t apple_list_attributes(int descriptor, char *names, size_t size) {
    return capsule_list_attributes(descriptor, names, size);
}
int apple_list_lets_others_write(int descriptor) { return capsule_list_lets_others_write(descriptor); }
int apple_no_attribute(void) { return CAPSULE_NO_ATTRIBUTE; }
int apple_copy_access_list(int from, int to) { return capsule_copy_access_list(from, to); }
