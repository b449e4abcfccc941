// SHA-256 with the SHA extensions of x86-64. Compiled for every x86-64 and used only where CPUID
// says that the instructions exist, so one binary runs everywhere.
#include "hodor/base/sha256.hpp"
#include "sha256_rounds.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#include <immintrin.h>
#define HODOR_SHA_X86 1
#endif

namespace hodor::sha256_detail {

#ifdef HODOR_SHA_X86
namespace {

__attribute__((target("sha,sse4.1,ssse3"))) void compress_sha_ni(State& state,
                                                                 const unsigned char* blocks,
                                                                 std::size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0bLL, 0x0405060700010203LL);
  // The instructions want the eight words as (A B E F) and (C D G H), highest lane first.
  const __m128i abcd =
      _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data())), 0xb1);
  const __m128i efgh =
      _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(state.data() + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(abcd, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);

  for (; count > 0; --count, blocks += 64) {
    const __m128i abef_before = abef;
    const __m128i cdgh_before = cdgh;
    __m128i words[4];
    for (int i = 0; i < 4; ++i) {
      const auto* at = reinterpret_cast<const __m128i*>(blocks + 16 * i);
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128(at), big_endian);
    }
#ifdef __clang__
#pragma unroll
#else
#pragma GCC unroll 16
#endif
    for (int round = 0; round < 16; ++round) {
      __m128i& now = words[round & 3];
      const __m128i constants =
          _mm_load_si128(reinterpret_cast<const __m128i*>(kRounds + 4 * round));
      const __m128i mixed = _mm_add_epi32(now, constants);
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, mixed);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(mixed, 0x0e));
      if (round < 12) {  // the words of round + 4 replace those of this round
        const __m128i next = words[(round + 1) & 3];
        const __m128i last = words[(round + 3) & 3];
        const __m128i seventh_back = _mm_alignr_epi8(last, words[(round + 2) & 3], 4);
        const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(now, next), seventh_back);
        now = _mm_sha256msg2_epu32(partial, last);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }

  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data()), _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool has_sha_ni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return false;
  const bool has_sse = (c & bit_SSSE3) != 0 && (c & bit_SSE4_1) != 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  return has_sse && (b & bit_SHA) != 0;
}

}  // namespace

Compress accelerated() { return has_sha_ni() ? &compress_sha_ni : nullptr; }
#else
Compress accelerated() { return nullptr; }
#endif

}  // namespace hodor::sha256_detail
