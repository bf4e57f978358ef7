#pragma once
// OpenSSL 3.0 deprecates SHA256_Init and its kin in favor of EVP, which first looks up a provider: more time than reading an index.
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/crypto.h>
#include <openssl/sha.h>
