// Transfers: one request and its answer each, as libcurl handles of one multi handle.
#ifndef CAPSULE_HTTP_TRANSFER_H
#define CAPSULE_HTTP_TRANSFER_H

// Older libraries know only what newer headers advise against.
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "frames.h"

// Carries out a frame from capsule.
void handle_frame(CURLM *multi, const struct frame *frame);
// Reports the transfers that have ended.
void report_ends(CURLM *multi);
// Lets transfers continue that stopped because capsule had not read enough.
void resume_receiving(void);

#endif
