// Values that can equal another and yet differ from it, or whose sum depends on the order: floating
// point numbers (0.0 and -0.0; a + b + c), intervals (30 days and 1 month), and a few other types.
//
// In:  a tree.
// Out: whether the text makes such values, whether it makes one value of several rows' values, and
//      whether the first may come to the second inside of the text.
// Never: types. What is not known to be exact is not; what is not followed is taken to arrive.
//
// What a *table* holds of them is no matter of texts: its version tells their order (versions/).
#pragma once
#include "hodor/syntax/ast.hpp"

namespace hodor {

struct Exactness {
  bool inexact = true;  // some value that the text makes may be inexact
  bool merges = true;   // a sum, a smallest value, a group key, DISTINCT
  bool mixes = true;    // an inexact value may come to where values are merged
};

// `final_select`: the SELECT whose columns are the text's, or kNoNode.
Exactness judge_exactness(const Tree& tree, NodeId final_select);

}  // namespace hodor
