// The parts of a query that `explain` can name, and the words that the hash may fold.
//
// In:  a tree and the hasher of its text.
// Out: a hash per CTE, output column and clause and for the rest, of their canonical texts where
// there
//      are any, else of their tokens.
// Never: decides anything. Parts only tell what changed.
#pragma once
#include <cstdint>
#include <vector>

#include "hodor/canonical/canonical_text.hpp"
#include "hodor/extract/analyze.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/ast.hpp"

namespace hodor {

// Per token: consumed as a keyword, and not inside of an expression whose text can become a name.
// Empty when the tree is not exact.
std::vector<std::uint8_t> foldable_keywords(const Tree& tree);

// `text`: null for a tree that has no canonical form. `keeps_texts`: of each part.
std::vector<Part> hash_parts(const Tree& tree, const CodeHasher& hasher, const CanonicalText* text,
                             bool keeps_texts);

// The outermost opaque nodes, and the tokens in them.
void count_opaque(const Tree& tree, std::size_t* runs, std::size_t* tokens);

}  // namespace hodor
