#include "transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRANSFERS = 64,
    AUTHORITIES = 8,
    // The longest head of an answer, in bytes.
    HEAD_LIMIT = 256 << 10,
};

struct transfer {
    uint32_t number;
    CURL *curl;
    struct curl_slist *headers;
    char *head;
    size_t head_length;
    bool head_was_sent, is_paused;
    // The request's body: its length, the offset of the next byte, the piece at hand, and whether another one was asked for.
    uint64_t body_length, position;
    unsigned char *piece;
    size_t piece_start, piece_end;
    bool is_asked;
    char error[CURL_ERROR_SIZE];
    struct transfer *next;
};

static struct transfer *transfers;
static int count;
static struct {
    uint32_t number;
    void *bytes;
    size_t length;
} authorities[AUTHORITIES];

static struct transfer *find(uint32_t number) {
    struct transfer *transfer = transfers;
    while (transfer && transfer->number != number) transfer = transfer->next;
    return transfer;
}

static void release(CURLM *multi, struct transfer *transfer) {
    struct transfer **place = &transfers;
    while (*place != transfer) place = &(*place)->next;
    *place = transfer->next;
    count--;
    curl_multi_remove_handle(multi, transfer->curl);
    curl_easy_cleanup(transfer->curl);
    curl_slist_free_all(transfer->headers);
    free(transfer->head);
    free(transfer->piece);
    free(transfer);
}

static void send_end(uint32_t number, CURLcode code, const char *message) {
    unsigned char bytes[4];
    put32(bytes, (uint32_t)code);
    send_frame('E', number, bytes, sizeof bytes, message, strlen(message));
}

// Each header line, with its line end. A status line begins a new head: that of an interim answer is dropped.
static size_t take_header(char *line, size_t size, size_t items, void *context) {
    struct transfer *transfer = context;
    size_t length = size * items;
    if (length >= 5 && memcmp(line, "HTTP/", 5) == 0) {
        transfer->head_length = 0;
        return length;
    }
    size_t kept = length;
    while (kept && (line[kept - 1] == '\n' || line[kept - 1] == '\r')) kept--;
    // Fields behind the body arrive late, and a line without a name is the end of the head.
    if (!kept || transfer->head_was_sent) return length;
    if (transfer->head_length + kept + 1 > HEAD_LIMIT) return 0;
    transfer->head = checked(realloc(transfer->head, transfer->head_length + kept + 1));
    for (size_t index = 0; index < kept; index++) {
        char byte = line[index];
        transfer->head[transfer->head_length++] = byte == '\n' || byte == '\r' || byte == 0 ? ' ' : byte;
    }
    transfer->head[transfer->head_length++] = '\n';
    return length;
}

static void send_head(struct transfer *transfer) {
    if (transfer->head_was_sent) return;
    long status = 0;
    char text[32];
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    int length = snprintf(text, sizeof text, "%ld\n", status);
    send_frame('H', transfer->number, text, (size_t)length, transfer->head, transfer->head_length);
    transfer->head_was_sent = true;
}

static size_t take_body(char *bytes, size_t size, size_t items, void *context) {
    struct transfer *transfer = context;
    if (output_waiting() > OUTPUT_HIGH) {
        transfer->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    send_head(transfer);
    send_frame('B', transfer->number, bytes, size * items, NULL, 0);
    return size * items;
}

static size_t give_body(char *room, size_t size, size_t items, void *context) {
    struct transfer *transfer = context;
    if (transfer->position >= transfer->body_length) return 0;
    size_t available = transfer->piece_end - transfer->piece_start;
    if (available) {
        size_t given = size * items < available ? size * items : available;
        memcpy(room, transfer->piece + transfer->piece_start, given);
        transfer->piece_start += given;
        transfer->position += given;
        return given;
    }
    if (!transfer->is_asked) {
        unsigned char place[12];
        put64(place, transfer->position);
        put32(place + 8, BODY_PIECE);
        send_frame('W', transfer->number, place, sizeof place, NULL, 0);
        transfer->is_asked = true;
    }
    return CURL_READFUNC_PAUSE;
}

// libcurl sends a body again if a connection that it wanted to use again was closed meanwhile.
static int seek_body(void *context, curl_off_t offset, int origin) {
    struct transfer *transfer = context;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > transfer->body_length) return CURL_SEEKFUNC_FAIL;
    transfer->position = (uint64_t)offset;
    transfer->piece_start = transfer->piece_end = 0;
    return CURL_SEEKFUNC_OK;
}

static void take_piece(struct transfer *transfer, const struct frame *frame) {
    if (frame->length < 8 || frame->length - 8 > BODY_PIECE || !transfer->is_asked) give_up("a piece of a body is not valid");
    transfer->is_asked = false;
    // Another offset was asked for before libcurl started again.
    if (get64(frame->payload) == transfer->position) {
        size_t length = frame->length - 8;
        if (!length || length > transfer->body_length - transfer->position) give_up("a piece of a body has the wrong length");
        if (!transfer->piece) transfer->piece = checked(malloc(BODY_PIECE));
        memcpy(transfer->piece, frame->payload + 8, length);
        transfer->piece_start = 0;
        transfer->piece_end = length;
    }
    curl_easy_pause(transfer->curl, transfer->is_paused ? CURLPAUSE_RECV : CURLPAUSE_CONT);
}

// One line of a request. Returns false if the line is not known, or this libcurl can't do what it says.
static bool apply(struct transfer *transfer, const char *key, const char *value) {
    CURL *curl = transfer->curl;
    if (!strcmp(key, "url")) return curl_easy_setopt(curl, CURLOPT_URL, value) == CURLE_OK;
    if (!strcmp(key, "method")) {
        if (!strcmp(value, "HEAD")) return curl_easy_setopt(curl, CURLOPT_NOBODY, 1L) == CURLE_OK;
        return curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, value) == CURLE_OK;
    }
    if (!strcmp(key, "header")) {
        struct curl_slist *longer = curl_slist_append(transfer->headers, value);
        if (longer) transfer->headers = longer;
        return longer;
    }
    if (!strcmp(key, "body")) {
        transfer->body_length = strtoull(value, NULL, 10);
        return curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L) == CURLE_OK
            && curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->body_length) == CURLE_OK;
    }
    if (!strcmp(key, "plain")) {
#if LIBCURL_VERSION_NUM >= 0x075500
        if (curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK) return true;
#endif
        // A libcurl that is older than its headers.
        return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)) == CURLE_OK;
    }
    if (!strcmp(key, "authorities")) {
        uint32_t number = (uint32_t)strtoul(value, NULL, 10);
        for (int index = 0; index < AUTHORITIES; index++) {
            if (!authorities[index].bytes || authorities[index].number != number) continue;
            struct curl_blob blob = {.data = authorities[index].bytes, .len = authorities[index].length, .flags = CURL_BLOB_NOCOPY};
            return curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &blob) == CURLE_OK;
        }
        return false;
    }
    if (!strcmp(key, "authorities-folder")) return curl_easy_setopt(curl, CURLOPT_CAPATH, value) == CURLE_OK;
    if (!strcmp(key, "certificate")) return curl_easy_setopt(curl, CURLOPT_SSLCERT, value) == CURLE_OK;
    if (!strcmp(key, "key")) return curl_easy_setopt(curl, CURLOPT_SSLKEY, value) == CURLE_OK;
    return false;
}

static bool set_defaults(struct transfer *transfer) {
    CURL *curl = transfer->curl;
    bool is_ok = true;
#define SET(option, value) is_ok = curl_easy_setopt(curl, option, value) == CURLE_OK && is_ok
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_ERRORBUFFER, transfer->error);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(CURLOPT_PATH_AS_IS, 1L);
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    SET(CURLOPT_PIPEWAIT, 1L);
    SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    SET(CURLOPT_CONNECTTIMEOUT, 15L);
    SET(CURLOPT_LOW_SPEED_LIMIT, 1000L);
    SET(CURLOPT_LOW_SPEED_TIME, 30L);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, transfer);
    SET(CURLOPT_READFUNCTION, give_body);
    SET(CURLOPT_READDATA, transfer);
    SET(CURLOPT_SEEKFUNCTION, seek_body);
    SET(CURLOPT_SEEKDATA, transfer);
#undef SET
#if LIBCURL_VERSION_NUM >= 0x075500
    if (curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK) return is_ok;
#endif
    return curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTPS) == CURLE_OK && is_ok;
}

static void start(CURLM *multi, const struct frame *frame) {
    if (find(frame->number)) give_up("a transfer has the number of another");
    if (count >= TRANSFERS) return send_end(frame->number, CURLE_OUT_OF_MEMORY, "too many transfers at once");
    struct transfer *transfer = checked(calloc(1, sizeof *transfer));
    transfer->number = frame->number;
    transfer->curl = checked(curl_easy_init());
    transfer->next = transfers;
    transfers = transfer;
    count++;
    char *lines = checked(malloc(frame->length + 1)), *rest = lines, *line;
    memcpy(lines, frame->payload, frame->length);
    lines[frame->length] = 0;
    bool is_ok = set_defaults(transfer);
    while (is_ok && (line = strsep(&rest, "\n"))) {
        if (!*line) continue;
        char *value = strchr(line, ' ');
        if (value) *value++ = 0;
        if (!apply(transfer, line, value ? value : "")) {
            snprintf(transfer->error, sizeof transfer->error, "libcurl %s can't set '%s'", curl_version_info(CURLVERSION_NOW)->version, line);
            is_ok = false;
        }
    }
    free(lines);
    if (is_ok) is_ok = curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK;
    if (is_ok && curl_multi_add_handle(multi, transfer->curl) == CURLM_OK) return;
    send_end(transfer->number, CURLE_FAILED_INIT, *transfer->error ? transfer->error : "libcurl refuses the request");
    release(multi, transfer);
}

static void keep_authorities(const struct frame *frame) {
    for (int index = 0; index < AUTHORITIES; index++) {
        if (authorities[index].bytes) continue;
        authorities[index].number = frame->number;
        authorities[index].bytes = checked(malloc(frame->length + 1));
        authorities[index].length = frame->length;
        memcpy(authorities[index].bytes, frame->payload, frame->length);
        return;
    }
    give_up("too many sets of authorities");
}

void handle_frame(CURLM *multi, const struct frame *frame) {
    struct transfer *transfer;
    switch (frame->kind) {
    case 'A': return keep_authorities(frame);
    case 'R': return start(multi, frame);
    case 'D':
        // The transfer may have ended since it asked.
        if ((transfer = find(frame->number))) take_piece(transfer, frame);
        return;
    case 'X':
        if ((transfer = find(frame->number))) release(multi, transfer);
        return;
    default: give_up("a frame of an unknown kind");
    }
}

void report_ends(CURLM *multi) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        CURLcode code = message->data.result;
        struct transfer *transfer = NULL;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        if (code == CURLE_OK) send_head(transfer);
        const char *text = code == CURLE_OK ? "" : *transfer->error ? transfer->error : curl_easy_strerror(code);
        send_end(transfer->number, code, text);
        release(multi, transfer);
    }
}

void resume_receiving(void) {
    if (output_waiting() > OUTPUT_LOW) return;
    for (struct transfer *transfer = transfers, *next; transfer; transfer = next) {
        next = transfer->next;
        if (!transfer->is_paused) continue;
        transfer->is_paused = false;
        // A request whose body is still wanted stops again by itself.
        curl_easy_pause(transfer->curl, CURLPAUSE_CONT);
    }
}
