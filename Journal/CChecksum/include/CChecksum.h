#pragma once
#include <stddef.h>
#include <stdint.h>

/// CRC-32C (Castagnoli) of `length` bytes at `data`, continued from `crc`; start with 0. Spec: RFC 3720, 12.1.
uint32_t carillon_crc32c(uint32_t crc, const void *data, size_t length);

/// The same by the table alone, whatever the processor offers; the tests compare the two.
uint32_t carillon_crc32c_portable(uint32_t crc, const void *data, size_t length);

/// Whether `length` bytes at `data` are all zero, at memory speed.
int carillon_is_zero(const void *data, size_t length);

/// The offset of the first occurrence of the four bytes at `needle` in `length` bytes at `data`, or -1.
ptrdiff_t carillon_find4(const void *data, size_t length, const void *needle);

/// One message to be hashed: `head` and `body`, one after the other; the head is shorter than 64 bytes.
typedef struct {
  const uint8_t *head;
  size_t head_length;
  const uint8_t *body;
  size_t body_length;
  /// 32 bytes.
  uint8_t *digest;
} carillon_sha256_message;

/// Whether this processor has instructions for SHA-256; without them the caller has a library.
int carillon_sha256_is_available(void);

/// Writes the SHA-256 digest of each of `count` messages, two at a time; only if it is available. Spec: FIPS 180-4.
void carillon_sha256(const carillon_sha256_message *messages, size_t count);
