// The version of everything that hodor records about a node's logic. A record with another version
// counts as changed code, so every node builds once after a bump.
//
// Raise it by one when, for any input,
// - a hash comes out different: the lexer's tokens, folding, rewrites, keyword or builtin lists,
// the
//   pre-image, what goes into the config, text, code, seed or unrendered hash
//   (tests/golden/preimage fails then), or
// - what is recorded means something else: facts that a decision reads, the key or token grammar of
//   upstreams, the meaning of a `detail` field.
// Leave it when only speed, messages or code that stores the same text changed. Never lower it.
#pragma once
#include <cstdint>

namespace hodor {

inline constexpr std::int64_t kHashVersion = 4;

}  // namespace hodor
