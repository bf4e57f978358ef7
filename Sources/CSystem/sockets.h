// Sockets of the loopback interface. Their constants are numbers on one system and enumerations on another.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

// Makes a socket of ours alone: programs that run meanwhile don't get it, and a write to a closed one is an error, not a signal.
static inline int capsule_keep_socket(int socket) {
#if defined(SO_NOSIGPIPE)
    const int on = 1;
    if (setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) == -1) return -1;
#endif
    if (fcntl(socket, F_SETFD, FD_CLOEXEC) == -1) return -1;
    return fcntl(socket, F_SETFL, O_NONBLOCK);
}

// Opens a socket that listens on 127.0.0.1 and no other address. Port 0 takes a free one; `port` gets the number.
static inline int capsule_listen_on_loopback(uint16_t *port) {
    const int opened = socket(AF_INET, SOCK_STREAM, 0);
    if (opened == -1) return -1;
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    // A port whose last connections are still ending is free.
    const int on = 1;
    if (setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 && capsule_keep_socket(opened) != -1 &&
        bind(opened, (const struct sockaddr *)&address, length) == 0 && listen(opened, SOMAXCONN) == 0 &&
        getsockname(opened, (struct sockaddr *)&address, &length) == 0) {
        *port = ntohs(address.sin_port);
        return opened;
    }
    const int number = errno;
    close(opened);
    errno = number;
    return -1;
}

// Takes the next connection (accept(2)), whose reads and writes never wait.
static inline int capsule_accept(int listening) {
    const int accepted = accept(listening, NULL, NULL);
    if (accepted == -1 || capsule_keep_socket(accepted) != -1) return accepted;
    const int number = errno;
    close(accepted);
    errno = number;
    return -1;
}

// Ends one direction of a connection that was sent (shutdown(2)).
static inline int capsule_end_sending(int socket) { return shutdown(socket, SHUT_WR); }
