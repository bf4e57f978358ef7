#pragma once
// SHA256_Init and its kin are deprecated in favour of EVP since OpenSSL 3.0; docs/decisions/013-plain-sha256.md says why they are used.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/sha.h>
