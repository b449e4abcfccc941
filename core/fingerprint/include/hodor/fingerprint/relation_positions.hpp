// Finds the three-part names that certainly name a table, from the tokens alone.
//
// In:  tokens of one text.
// Out: token ranges of `a.b.c` behind FROM, JOIN, a comma of FROM, INTO or TABLE.
// Never: a name that could be a value (a struct field, the FROM of extract or IS DISTINCT FROM) or
// a function. A missed name costs a build; a name too many could make two texts equal.
#pragma once
#include <string_view>
#include <vector>

#include "hodor/syntax/token.hpp"

namespace hodor {

std::vector<TokenRange> find_relation_positions(std::string_view sql,
                                                const std::vector<Token>& tokens);

}  // namespace hodor
