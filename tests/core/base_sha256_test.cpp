// SHA-256 against published vectors, and both implementations against each other.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hodor/base/sha256.hpp"

namespace hodor {
namespace {

using sha256_detail::Compress;

std::vector<Compress> all_paths() {
  std::vector<Compress> paths = {&sha256_detail::compress_portable};
  if (sha256_detail::accelerated() != nullptr) paths.push_back(sha256_detail::accelerated());
  return paths;
}

std::string hash_in_pieces(Compress path, std::string_view text, std::size_t piece) {
  Sha256 hash(path);
  for (std::size_t at = 0; at < text.size(); at += piece) hash.update(text.substr(at, piece));
  return hash.hex();
}

struct Vector {
  std::string text;
  const char* digest;
};

// FIPS 180-4 examples and the usual extras; lengths around the padding's edges.
const std::vector<Vector>& vectors() {
  static const std::vector<Vector> all = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
       "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
      {std::string(1'000'000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  return all;
}

TEST(Sha256, GivesThePublishedDigests) {
  for (const Compress path : all_paths()) {
    for (const Vector& vector : vectors()) {
      EXPECT_EQ(hash_in_pieces(path, vector.text, vector.text.size() + 1), vector.digest);
    }
  }
}

TEST(Sha256, OneCallEqualsPieces) {
  for (const Vector& vector : vectors()) EXPECT_EQ(sha256_hex(vector.text), vector.digest);
}

TEST(Sha256, PiecesOfAnySizeGiveOneDigest) {
  const std::string text(1000, 'x');
  for (const Compress path : all_paths()) {
    for (const std::size_t piece : {1u, 3u, 55u, 56u, 63u, 64u, 65u, 127u, 128u, 999u}) {
      EXPECT_EQ(hash_in_pieces(path, text, piece), sha256_hex(text)) << piece;
    }
  }
}

TEST(Sha256, PathsAgreeOnEveryLengthAndOnRandomBytes) {
  std::mt19937 random(20261020);
  for (std::size_t length = 0; length < 600; ++length) {
    std::string text(length, '\0');
    for (char& c : text) c = static_cast<char>(random());
    const std::string want = hash_in_pieces(&sha256_detail::compress_portable, text, length + 1);
    for (const Compress path : all_paths()) {
      ASSERT_EQ(hash_in_pieces(path, text, 1 + random() % (length + 1)), want) << length;
    }
  }
}

}  // namespace
}  // namespace hodor
