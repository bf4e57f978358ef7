/* Run a program that may write only to some files and directories, as a build phase in Xcode's script sandbox.
 *
 * usage: landlock PATH... -- PROGRAM [ARGUMENT...]
 *
 * Reading is allowed everywhere. A PATH that is a directory may be changed with everything in it, a file may be written to and
 * truncated. Ends with 77 where the kernel has no Landlock (Linux 5.13, CONFIG_SECURITY_LANDLOCK). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Everything but reading, executing and device controls, as of the third version of the interface. */
static const unsigned long long writing = (1ULL << 1) | (((1ULL << 11) - 1) << 4);
static const unsigned long long of_files = (1ULL << 1) | (1ULL << 14);

int main(int count, char **arguments) {
    struct landlock_ruleset_attr attributes = {.handled_access_fs = writing};
    int rules = syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (rules < 0) {
        fprintf(stderr, "landlock: %s\n", strerror(errno));
        return 77;
    }
    int at = 1;
    for (; at < count && strcmp(arguments[at], "--") != 0; at++) {
        struct stat status;
        struct landlock_path_beneath_attr rule = {.parent_fd = open(arguments[at], O_PATH | O_CLOEXEC)};
        if (rule.parent_fd < 0 || fstat(rule.parent_fd, &status) != 0) {
            perror(arguments[at]);
            return 1;
        }
        rule.allowed_access = S_ISDIR(status.st_mode) ? writing : of_files;
        if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
            perror("landlock_add_rule");
            return 1;
        }
    }
    if (at + 1 >= count) {
        fprintf(stderr, "usage: landlock PATH... -- PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules, 0) != 0) {
        perror("landlock_restrict_self");
        return 1;
    }
    execv(arguments[at + 1], arguments + at + 1);
    perror(arguments[at + 1]);
    return 127;
}
