// The canonical form as SQL text, for people.
//
// In:  a tree that has a canonical form, and the hasher of its tokens.
// Out: text that runs in the engine: one clause a line, keywords in lower case, and new names for
//      those that the form writes as numbers; or the text of one piece of it under its own names.
// Never: hashed by itself: a text that says more or less than the form says is ugly, not wrong.
//
// Names that the result can show, and names within expressions that name a column by their text,
// stay. A qualifier that is left out of the form only because something is assumed of tables stays,
// too: the text has to run over tables that nobody has looked at.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/scopes/scopes.hpp"
#include "hodor/syntax/ast.hpp"

namespace hodor {

class Naming;
class TextNames;

// Which names are new. A few texts are read in another way when each definition has a name of its
// own, because some of theirs are one: two CTEs with a column `id` that are joined.
enum class NewNames : unsigned char {
  each,    // of each definition
  shared,  // one for all of one name, and none for a name that stays elsewhere
  none,
  as_written,    // and types, the case of names and directions are as in the text, too
  none_in_piece  // and nothing depends on what stands outside of the piece
};

class CanonicalText {
 public:
  // Requires has_canonical_form(tree). The arguments outlive this.
  CanonicalText(const Tree& tree, const CodeHasher& tokens, const KnownColumns& known);
  ~CanonicalText();
  CanonicalText(const CanonicalText&) = delete;
  CanonicalText& operator=(const CanonicalText&) = delete;

  std::string whole(NewNames names) const;
  // One CTE, output column or clause. All names stay, in lower case where case does not count, so
  // that a piece reads the same whatever stands around it.
  std::string piece(NodeId id) const;

 private:
  const Tree& tree_;
  const CodeHasher& tokens_;
  std::unique_ptr<const Naming> naming_;
  mutable std::unique_ptr<TextNames> piece_names_;  // of the first piece that was asked for
};

// Any tokens with one space for each gap, which changes no hash.
std::string spaced_text(std::string_view sql, const std::vector<Token>& tokens);

}  // namespace hodor
