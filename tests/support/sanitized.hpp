#pragma once

/// CAROM_SANITIZED: compiled with a sanitizer that brings its own heap and locks.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // g++
#define CAROM_SANITIZED 1
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CAROM_SANITIZED 1
#endif
#endif
