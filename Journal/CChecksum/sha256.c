#include "CChecksum.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Spec: FIPS 180-4, 4.2.2.
static const uint32_t constants[64] __attribute__((aligned(64))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Spec: FIPS 180-4, 5.3.3.
static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

enum { block_size = 64, staged_blocks = 5 };

// One message on its way: its blocks come from up to three runs, the first and the last of which were copied because
// head and padding do not lie beside the body.
struct lane {
  const uint8_t *next;
  size_t blocks;
  const uint8_t *middle;
  size_t middle_blocks;
  size_t tail_blocks;
  uint8_t *digest;
  uint8_t staged[staged_blocks * block_size];
};

// Writes the padding of a message of `length` bytes at `end`, whose block began at `start`; returns the whole blocks.
static inline size_t pad(uint8_t *start, uint8_t *end, size_t length) {
  size_t blocks = ((size_t)(end - start) + 9 + block_size - 1) / block_size;
  uint8_t *last = start + blocks * block_size - 8;
  *end++ = 0x80;
  memset(end, 0, (size_t)(last - end));
  uint64_t bits = __builtin_bswap64((uint64_t)length * 8);
  memcpy(last, &bits, 8);
  return blocks;
}

static inline void load_lane(struct lane *lane, const carillon_sha256_message *message) {
  size_t length = message->head_length + message->body_length;
  lane->digest = message->digest;
  lane->next = lane->staged;
  lane->middle_blocks = 0;
  lane->tail_blocks = 0;
  if (message->head_length > 0) memcpy(lane->staged, message->head, message->head_length);
  uint8_t *place = lane->staged + message->head_length;
  if (length + 9 <= sizeof lane->staged) {
    if (message->body_length > 0) memcpy(place, message->body, message->body_length);
    lane->blocks = pad(lane->staged, place + message->body_length, length);
    return;
  }
  size_t first = block_size - message->head_length;
  memcpy(place, message->body, first);
  lane->blocks = 1;
  lane->middle = message->body + first;
  lane->middle_blocks = (message->body_length - first) / block_size;
  size_t rest = (message->body_length - first) % block_size;
  uint8_t *tail = lane->staged + block_size;
  memcpy(tail, message->body + message->body_length - rest, rest);
  lane->tail_blocks = pad(tail, tail + rest, length);
}

// The run is used up: goes on to the next one. False at the end of the message.
static inline int next_run(struct lane *lane) {
  if (lane->middle_blocks > 0) {
    lane->next = lane->middle;
    lane->blocks = lane->middle_blocks;
    lane->middle_blocks = 0;
  } else if (lane->tail_blocks > 0) {
    lane->next = lane->staged + block_size;
    lane->blocks = lane->tail_blocks;
    lane->tail_blocks = 0;
  } else {
    return 0;
  }
  return 1;
}

#define SHA_NI __attribute__((target("sha,ssse3,sse4.1")))

#define FOUR_ROUNDS(low, high, index, words)                                                         \
  do {                                                                                               \
    __m128i sum = _mm_add_epi32(words, _mm_load_si128((const __m128i *)(constants + 4 * (index)))); \
    high = _mm_sha256rnds2_epu32(high, low, sum);                                                    \
    low = _mm_sha256rnds2_epu32(low, high, _mm_shuffle_epi32(sum, 0x0E));                            \
  } while (0)

#define SCHEDULE(a, b, c, d) \
  a = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)

#define WORDS(bytes, index) \
  _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)((bytes) + 16 * (index))), big_endian)

// The instructions want the state as ABEF and CDGH.
SHA_NI static inline void split_state(const uint32_t state[8], __m128i *low, __m128i *high) {
  *low = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  *high = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
}

SHA_NI static void store_digest(__m128i low, __m128i high, uint8_t *digest) {
  uint32_t l[4], h[4];
  _mm_storeu_si128((__m128i *)l, low);
  _mm_storeu_si128((__m128i *)h, high);
  uint32_t words[8] = {l[3], l[2], h[3], h[2], l[1], l[0], h[1], h[0]};
  for (int index = 0; index < 8; index++) words[index] = __builtin_bswap32(words[index]);
  memcpy(digest, words, 32);
}

// Two messages interleaved: each by itself would leave the processor waiting for its last result.
SHA_NI static void compress_two(__m128i state[2][2], const uint8_t *p, const uint8_t *q, size_t blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bULL, 0x0405060700010203ULL);
  __m128i a0 = state[0][0], a1 = state[0][1], b0 = state[1][0], b1 = state[1][1];
  while (blocks-- > 0) {
    __m128i c0 = a0, c1 = a1, d0 = b0, d1 = b1;
    __m128i m0 = WORDS(p, 0), m1 = WORDS(p, 1), m2 = WORDS(p, 2), m3 = WORDS(p, 3);
    __m128i n0 = WORDS(q, 0), n1 = WORDS(q, 1), n2 = WORDS(q, 2), n3 = WORDS(q, 3);
    FOUR_ROUNDS(a0, a1, 0, m0); FOUR_ROUNDS(b0, b1, 0, n0);
    FOUR_ROUNDS(a0, a1, 1, m1); FOUR_ROUNDS(b0, b1, 1, n1);
    FOUR_ROUNDS(a0, a1, 2, m2); FOUR_ROUNDS(b0, b1, 2, n2);
    FOUR_ROUNDS(a0, a1, 3, m3); FOUR_ROUNDS(b0, b1, 3, n3);
    for (int index = 4; index < 16; index += 4) {
      SCHEDULE(m0, m1, m2, m3); SCHEDULE(n0, n1, n2, n3);
      FOUR_ROUNDS(a0, a1, index, m0); FOUR_ROUNDS(b0, b1, index, n0);
      SCHEDULE(m1, m2, m3, m0); SCHEDULE(n1, n2, n3, n0);
      FOUR_ROUNDS(a0, a1, index + 1, m1); FOUR_ROUNDS(b0, b1, index + 1, n1);
      SCHEDULE(m2, m3, m0, m1); SCHEDULE(n2, n3, n0, n1);
      FOUR_ROUNDS(a0, a1, index + 2, m2); FOUR_ROUNDS(b0, b1, index + 2, n2);
      SCHEDULE(m3, m0, m1, m2); SCHEDULE(n3, n0, n1, n2);
      FOUR_ROUNDS(a0, a1, index + 3, m3); FOUR_ROUNDS(b0, b1, index + 3, n3);
    }
    a0 = _mm_add_epi32(a0, c0), a1 = _mm_add_epi32(a1, c1);
    b0 = _mm_add_epi32(b0, d0), b1 = _mm_add_epi32(b1, d1);
    p += block_size, q += block_size;
  }
  state[0][0] = a0, state[0][1] = a1, state[1][0] = b0, state[1][1] = b1;
}

SHA_NI void carillon_sha256(const carillon_sha256_message *messages, size_t count) {
  struct lane lanes[2];
  __m128i state[2][2];
  const carillon_sha256_message *end = messages + count;
  int busy[2] = {0, 0};
  for (int index = 0; index < 2; index++) {
    busy[index] = messages < end;
    if (!busy[index]) continue;
    load_lane(&lanes[index], messages++);
    split_state(initial, &state[index][0], &state[index][1]);
  }
  while (busy[0] || busy[1]) {
    // A lane without a message repeats what the other one does, into the void.
    int first = busy[0] ? 0 : 1;
    int second = busy[1] ? 1 : 0;
    size_t blocks = lanes[first].blocks < lanes[second].blocks ? lanes[first].blocks : lanes[second].blocks;
    __m128i pair[2][2] = {{state[first][0], state[first][1]}, {state[second][0], state[second][1]}};
    compress_two(pair, lanes[first].next, lanes[second].next, blocks);
    state[first][0] = pair[0][0], state[first][1] = pair[0][1];
    state[second][0] = pair[1][0], state[second][1] = pair[1][1];
    for (int index = 0; index < 2; index++) {
      if (!busy[index]) continue;
      lanes[index].next += blocks * block_size;
      lanes[index].blocks -= blocks;
      if (lanes[index].blocks > 0 || next_run(&lanes[index])) continue;
      store_digest(state[index][0], state[index][1], lanes[index].digest);
      busy[index] = messages < end;
      if (!busy[index]) continue;
      load_lane(&lanes[index], messages++);
      split_state(initial, &state[index][0], &state[index][1]);
    }
  }
}

int carillon_sha256_is_available(void) {
  // Leaf 7 of the processor's description: the compilers' own question does not know these instructions everywhere.
  unsigned int a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  return (b >> 29 & 1) && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1");
}

#else

int carillon_sha256_is_available(void) { return 0; }

void carillon_sha256(const carillon_sha256_message *messages, size_t count) { (void)messages, (void)count; }

#endif
