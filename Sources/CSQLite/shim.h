// What Swift cannot reach by itself: a variadic function, and constants that are casts.
#pragma once
#include <sqlite3.h>

// sqlite3_db_config() for the options that take a number.
static inline int capsule_sqlite_configure(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// sqlite3_result_blob64() of a copy.
static inline void capsule_sqlite_result_copy(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}
