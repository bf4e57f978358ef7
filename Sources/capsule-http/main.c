// capsule-http: carries out capsule's HTTP requests with libcurl.
//
// It reads requests on standard input and writes answers to standard output (frames.h). It decides nothing: redirects, retries,
// credentials and digests are capsule's. It ends when its input does.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "transfer.h"

static void introduce(void) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    const char *file = NULL;
#if LIBCURL_VERSION_NUM >= 0x074600
    // An older library does not have the field, whatever the headers say.
    if (info->age >= CURLVERSION_EIGHTH) file = info->cainfo;
#endif
    char text[4096];
    int length = snprintf(text, sizeof text, "libcurl/%s %s\n%s\n", info->version, info->ssl_version ? info->ssl_version : "", file ? file : "");
    send_frame('V', PROTOCOL_VERSION, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1, NULL, 0);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1 || isatty(STDIN_FILENO)) {
        fprintf(stderr, "capsule-http: error: capsule runs this program to reach servers; it has no commands of its own\n");
        return 64;
    }
    // ^C is capsule's to handle: this program ends with it.
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);
    fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) give_up("libcurl does not start");
    CURLM *multi = checked(curl_multi_init());
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 6L);
    introduce();
    for (int running;;) {
        struct frame frame;
        while (next_frame(&frame)) handle_frame(multi, &frame);
        if (curl_multi_perform(multi, &running) != CURLM_OK) give_up("libcurl failed");
        report_ends(multi);
        if (!write_output()) break;
        resume_receiving();
        struct curl_waitfd pipes[2] = {
            {.fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN}, {.fd = STDOUT_FILENO, .events = CURL_WAIT_POLLOUT}};
        curl_multi_poll(multi, pipes, output_waiting() ? 2 : 1, 1000, NULL);
        if (pipes[0].revents && !read_input()) break;
    }
    // Nothing is released: libcurl would wait for names that are being looked up.
    _exit(0);
}
