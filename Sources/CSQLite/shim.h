// Functions that Swift can't call directly: a variadic one, and those with constants that are casts.
#pragma once
#include <sqlite3.h>

// Calls sqlite3_db_config() for options that take a number.
static inline int capsule_sqlite_configure(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (int *)0);
}

// Calls sqlite3_result_blob64() with a copy of the bytes.
static inline void capsule_sqlite_result_copy(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_blob64(context, bytes, count, SQLITE_TRANSIENT);
}

// Calls sqlite3_result_text64() with a copy of UTF-8 text.
static inline void capsule_sqlite_result_text(sqlite3_context *context, const void *bytes, sqlite3_uint64 count) {
    sqlite3_result_text64(context, count ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Calls sqlite3_drop_modules() for all modules but those of full-text indexes.
static inline void capsule_sqlite_keep_full_text(sqlite3 *db) {
    const char *kept[] = {"fts3", "fts4", "fts5", 0};
    sqlite3_drop_modules(db, kept);
}

// Calls sqlite3_bind_text64() with a copy of UTF-8 text.
static inline int capsule_sqlite_bind_text(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, count ? (const char *)bytes : "", count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Calls sqlite3_bind_blob64() with a copy. Empty data is not NULL.
static inline int capsule_sqlite_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return count ? sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT)
                 : sqlite3_bind_zeroblob(statement, place, 0);
}
