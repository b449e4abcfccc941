// SHA-256 (FIPS 180-4).
//
// In:  bytes, at once or in pieces.
// Out: the digest as lower-case hex.
// Never: depends on the machine for its result. The processor's SHA instructions are used when a
// run-time check finds them; both paths are tested against each other.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hodor {

namespace sha256_detail {
using State = std::array<std::uint32_t, 8>;
inline constexpr State kInitialState = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
using Compress = void (*)(State& state, const unsigned char* blocks, std::size_t count);
void compress_portable(State& state, const unsigned char* blocks, std::size_t count);
Compress accelerated();  // null when this processor has no SHA instructions
Compress best();
}  // namespace sha256_detail

class Sha256 {
 public:
  Sha256() : Sha256(sha256_detail::best()) {}
  explicit Sha256(sha256_detail::Compress compress) : compress_(compress) {}  // tests choose a path

  void update(std::string_view bytes);
  std::string hex();  // ends the computation; call once

 private:
  sha256_detail::Compress compress_;
  sha256_detail::State state_ = sha256_detail::kInitialState;
  std::array<unsigned char, 64> pending_ = {};
  std::size_t pending_size_ = 0;
  std::uint64_t total_bytes_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace hodor
