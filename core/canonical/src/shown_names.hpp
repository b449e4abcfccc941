// What the form and the canonical text both have to know of names that are shown.
//
// In:  names, words, subqueries of a tree. Out: answers that hold for all supported versions.
// Never: what a name means; that is in naming.hpp.
#pragma once
#include <vector>

#include "hodor/syntax/ast.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {

// Without its quotes it would be, or could be, another thing: a keyword, a function without
// parentheses.
bool needs_quotes(const WordEntry& word);
// A subquery that stands for a value: nobody sees the names of its columns. Marks its SELECTs, by
// node.
void mark_selects_of_value(const Tree& tree, NodeId subquery, std::vector<bool>& marks);

}  // namespace hodor
