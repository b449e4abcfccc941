// The canonical form of a query: its syntax tree without what cannot change the result.
//
// In:  the tree of a text, and the hasher of its tokens.
// Out: the pre-image of the canonical tier.
// Never: for a tree with a problem in it; never forgets a token that no rule in this layer names.
//
// Every token is in the pre-image unless a rule drops it, so a construct that nobody thought of
// here still tells two texts apart. Pre-image: "kind", "dialect", "tier" as in code_hash.hpp, then
// the root:
//   node     a list tagged with the kind's name: own tokens and children in the order of the text
//   infix    a list: operand, operator, operand, ... of one level of precedence, left to right
//   prefix, postfix  a list: the operator and its operand
//   cast     a list: operand and type, however the cast is written
//   column, path, star  a list: the names, where a name is
//     "name", "quoted"  its text, in lower case where case does not count; quoted: needs its quotes
//     "source", "definition", "cte"  the number of what it means, where the name itself does not
//     count
//     A column or literal of one token is one field of that tag instead: its text, or the number of
//     its definition.
//   string, hex  the value of a string literal; unit, value  of an interval; collate  a collation
//   as_written  a list: the tokens of an expression whose text may become a column's name
// Numbers of definitions count from 1 in the order in which they are written. What has several
// spellings is written as one of them: see the files rewrite_*.cpp.
#pragma once
#include "hodor/base/preimage.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/scopes/scopes.hpp"
#include "hodor/syntax/ast.hpp"

namespace hodor {

// Whether every token of the text was understood; only then it has a canonical form.
inline bool has_canonical_form(const Tree& tree) {
  return tree.exact() && tree[tree.root].kind == NodeKind::query;
}

struct CanonicalForm {
  Preimage preimage;
  // What it takes for granted, sorted. Two different texts of one form are one query only while
  // all of this holds for both.
  std::vector<Absence> assumes;
};

// Requires has_canonical_form(tree). `tokens` folds what the parser consumed as keywords. `known`:
// columns of tables; of the others absences are assumed.
CanonicalForm canonical_form(const Tree& tree, const CodeHasher& tokens, const KnownColumns& known);

}  // namespace hodor
