#define _GNU_SOURCE
#include "CChecksum.h"

#include <string.h>

// Reflected polynomial of CRC-32C.
#define POLYNOMIAL 0x82F63B78u

// Eight bytes a step (slicing by 8): table[k][b] is the checksum of byte b followed by k zero bytes.
static uint32_t table[8][256];

__attribute__((constructor)) static void fill_table(void) {
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; bit++) value = (value >> 1) ^ (POLYNOMIAL & (0u - (value & 1u)));
    table[0][byte] = value;
  }
  for (int slice = 1; slice < 8; slice++)
    for (int byte = 0; byte < 256; byte++)
      table[slice][byte] = (table[slice - 1][byte] >> 8) ^ table[0][table[slice - 1][byte] & 0xFF];
}

uint32_t carillon_crc32c_portable(uint32_t crc, const void *data, size_t length) {
  const uint8_t *bytes = data;
  crc = ~crc;
  while (length >= 8) {
    // Byte by byte into the two halves: the same on machines of either byte order, and for any alignment.
    uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24);
    crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^ table[4][low >> 24] ^
          table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
    bytes += 8;
    length -= 8;
  }
  while (length-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *bytes++) & 0xFF];
  return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

// Compiled for SSE4.2 by attribute, so that the rest of the program still runs on older processors.
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data, size_t length) {
  const uint8_t *bytes = data;
  uint64_t value = ~crc;
  while (length >= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    value = _mm_crc32_u64(value, word);
    bytes += 8;
    length -= 8;
  }
  uint32_t rest = (uint32_t)value;
  while (length-- > 0) rest = _mm_crc32_u8(rest, *bytes++);
  return ~rest;
}

uint32_t carillon_crc32c(uint32_t crc, const void *data, size_t length) {
  return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, data, length)
                                          : carillon_crc32c_portable(crc, data, length);
}
#else
uint32_t carillon_crc32c(uint32_t crc, const void *data, size_t length) {
  return carillon_crc32c_portable(crc, data, length);
}
#endif

int carillon_is_zero(const void *data, size_t length) {
  const uint8_t *bytes = data;
  // Compared with itself one byte on: if the first is zero, all are.
  return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

ptrdiff_t carillon_find4(const void *data, size_t length, const void *needle) {
  const uint8_t *found = memmem(data, length, needle, 4);
  return found ? found - (const uint8_t *)data : -1;
}
