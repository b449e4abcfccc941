// The parts of a query that `explain` can name, and the words that the hash may fold.
//
// In:  a tree and the hasher of its text. Out: a hash per CTE, output column and for the rest.
// Never: decides anything. Parts only tell what changed.
#pragma once
#include <cstdint>
#include <vector>

#include "hodor/extract/analyze.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/ast.hpp"

namespace hodor {

// Per token: consumed as a keyword, and not inside of an expression whose text can become a name.
// Empty when the tree is not exact.
std::vector<std::uint8_t> foldable_keywords(const Tree& tree);

std::vector<Part> hash_parts(const Tree& tree, const CodeHasher& hasher);

}  // namespace hodor
