/* Runs a command and measures it.
 *
 * usage: spawn DESCRIPTOR COMMAND [ARGUMENT...]
 *
 * Writes "WALL CPU PEAK STATUS" to DESCRIPTOR: nanoseconds; microseconds of user and system time, of all processes that the command
 * waited for; KiB, of the largest of these processes; and the status of wait(2). Forwards SIGTERM. Ends with 0 if the command ran,
 * with 2 if it could not.
 *
 * A small program, because on Linux a process inherits its parent's peak when it starts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;
static volatile pid_t child;

static void forward(int number) {
    if (child > 0) kill(child, number);
}

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time) { return time.tv_sec * 1000000LL + time.tv_usec; }

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("usage: spawn DESCRIPTOR COMMAND [ARGUMENT...]\n", stderr);
        return 64;
    }
    int descriptor = atoi(arguments[1]), status;
    struct rusage usage;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    signal(SIGTERM, forward);
    long long start = nanoseconds();
    pid_t started;
    int error = posix_spawnp(&started, arguments[2], NULL, NULL, arguments + 2, environ);
    if (error) {
        fprintf(stderr, "spawn: %s: %s\n", arguments[2], strerror(error));
        return 2;
    }
    child = started;
    while (wait4(started, &status, 0, &usage) < 0)
        if (errno != EINTR) return 2;
    long long wall = nanoseconds() - start;
#ifdef __APPLE__
    usage.ru_maxrss /= 1024;
#endif
    dprintf(descriptor, "%lld %lld %ld %d\n", wall, microseconds(usage.ru_utime) + microseconds(usage.ru_stime), usage.ru_maxrss, status);
    return 0;
}
