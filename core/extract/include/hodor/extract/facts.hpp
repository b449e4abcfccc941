// Syntax tree → facts: what a text reads, calls and depends on.
//
// In:  a tree (syntax/parser.hpp), the node's own relation, where values of this run stand.
// Out: facts. Not exact when the tree is not; then what is listed is there, but more may be.
// Never: less than the text does. Where a rule is unclear the answer is the one that builds:
// star and order_sensitive true, a volatile call logic, a read an opaque input.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hodor/facts/facts.hpp"
#include "hodor/syntax/ast.hpp"

namespace hodor {

struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct ExtractOptions {
  std::vector<std::string> own;       // parts of the node's own relation; may be empty
  std::vector<ByteRange> run_values;  // bytes of the text that change with every run, in order
  bool stamps = true;                 // false: every volatile call is logic (hooks, views' readers)
};

Facts extract_facts(const Tree& tree, const ExtractOptions& options);

// The tokens of every name in the place of a table, CTEs included: only these name relations.
std::vector<TokenRange> relation_name_ranges(const Tree& tree);

// Sorts every list and drops duplicates: equal facts then have equal encodings.
void normalize(Facts& facts);

}  // namespace hodor
