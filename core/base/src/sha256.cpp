#include "hodor/base/sha256.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sha256_rounds.hpp"

namespace hodor {
namespace sha256_detail {
namespace {

std::uint32_t load_big_endian(const unsigned char* at) {
  return static_cast<std::uint32_t>(at[0]) << 24 | static_cast<std::uint32_t>(at[1]) << 16 |
         static_cast<std::uint32_t>(at[2]) << 8 | static_cast<std::uint32_t>(at[3]);
}

std::uint32_t small_sigma_0(std::uint32_t x) {
  return std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
}
std::uint32_t small_sigma_1(std::uint32_t x) {
  return std::rotr(x, 17) ^ std::rotr(x, 19) ^ (x >> 10);
}
std::uint32_t big_sigma_0(std::uint32_t x) {
  return std::rotr(x, 2) ^ std::rotr(x, 13) ^ std::rotr(x, 22);
}
std::uint32_t big_sigma_1(std::uint32_t x) {
  return std::rotr(x, 6) ^ std::rotr(x, 11) ^ std::rotr(x, 25);
}

void compress_one(State& state, const unsigned char* block) {
  std::uint32_t w[64];
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_big_endian(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    w[i] = small_sigma_1(w[i - 2]) + w[i - 7] + small_sigma_0(w[i - 15]) + w[i - 16];
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    const std::uint32_t first = h + big_sigma_1(e) + choice + kRounds[i] + w[i];
    const std::uint32_t second = big_sigma_0(a) + majority;
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const State sums = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += sums[i];
}

}  // namespace

void compress_portable(State& state, const unsigned char* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += 64) compress_one(state, blocks);
}

Compress best() {
  static const Compress chosen = accelerated() ? accelerated() : &compress_portable;
  return chosen;
}

}  // namespace sha256_detail

void Sha256::update(std::string_view bytes) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  total_bytes_ += left;
  if (pending_size_ > 0) {
    const std::size_t taken = std::min(left, pending_.size() - pending_size_);
    std::copy_n(at, taken, pending_.data() + pending_size_);
    pending_size_ += taken;
    at += taken;
    left -= taken;
    if (pending_size_ < pending_.size()) return;
    compress_(state_, pending_.data(), 1);
    pending_size_ = 0;
  }
  const std::size_t blocks = left / 64;
  if (blocks > 0) compress_(state_, at, blocks);
  at += blocks * 64;
  left -= blocks * 64;
  if (left > 0) std::copy_n(at, left, pending_.data());
  pending_size_ = left;
}

namespace {

// The rest of the bytes, the end mark, zeros up to 8 bytes before a block's end, and the length in
// bits; then the state as text.
std::string finish(sha256_detail::State& state, sha256_detail::Compress compress,
                   const unsigned char* rest, std::size_t rest_size, std::uint64_t total_bytes) {
  std::array<unsigned char, 128> tail = {};
  std::copy_n(rest, rest_size, tail.data());
  tail[rest_size] = 0x80;
  const std::size_t blocks = rest_size < 56 ? 1 : 2;
  const std::uint64_t bits = total_bytes * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[blocks * 64 - 1 - i] = static_cast<unsigned char>(bits >> (8 * i));
  }
  compress(state, tail.data(), blocks);

  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex(64, '0');
  char* out = hex.data();
  for (const std::uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) *out++ = kDigits[(word >> shift) & 15];
  }
  return hex;
}

}  // namespace

std::string Sha256::hex() {
  return finish(state_, compress_, pending_.data(), pending_size_, total_bytes_);
}

std::string sha256_hex(std::string_view bytes) {
  const sha256_detail::Compress compress = sha256_detail::best();
  sha256_detail::State state = sha256_detail::kInitialState;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t blocks = bytes.size() / 64;
  if (blocks > 0) compress(state, at, blocks);
  return finish(state, compress, at + blocks * 64, bytes.size() % 64, bytes.size());
}

}  // namespace hodor
