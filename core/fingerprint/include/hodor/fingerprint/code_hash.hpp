// The code hash: equal for two texts only when they are certainly the same query.
//
// In:  a text, its dialect, this run's values, the relation names of the project, and what a parser
//      found out about single tokens.
// Out: a hash of the tokens, or of the bytes where the text cannot be cut into tokens; hashes of
// parts. Never: equal for texts that could differ. Forgotten are only: whitespace and comments
// between tokens, the case of words that can be nothing but keywords, `;` at the end, and the
// database and schema of relation names that belong to one node.
//
// Pre-image: "tier", "dialect", then the tokens in order, each one field of
//   ""          the token as written (a keyword in lower case)
//   "token"     a list: pieces of the token ("") and run values in it ("run_value")
//   "relation"  a list: the node's id, and the last part of the name as written, because it is the
//               name by which the rest of the text refers to the table
//   "glued"     before a token that touches the token before, where a gap could matter
//   "gap"       between two strings, what decides whether they are one
// User text is always the value of a field, so none can look like another field.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hodor/base/preimage.hpp"
#include "hodor/fingerprint/relation_ids.hpp"
#include "hodor/fingerprint/run_values.hpp"
#include "hodor/syntax/dialect.hpp"
#include "hodor/syntax/lexer.hpp"

namespace hodor {

enum class CodeTier { tokens, text };

// A text as it is lexed, parsed and hashed: run values are replaced by their placeholders. Token
// offsets refer to `sql()`.
class CodeText {
 public:
  CodeText(std::string_view text, Dialect dialect, const RunValues& run_values);

  // text: a token is not known, or a run value stands outside of strings, quoted names and
  // comments, where it would be several tokens. There are no tokens then but `end`.
  CodeTier tier() const { return tier_; }
  const std::string& sql() const { return placed_.text; }
  const Lexed& lexed() const { return lexed_; }
  const std::vector<Token>& tokens() const { return lexed_.tokens; }
  const std::vector<RunValuePlace>& run_value_places() const { return placed_.places; }
  Dialect dialect() const { return dialect_; }
  // Run values in a token: they make it volatile.
  std::span<const RunValuePlace> run_values_in(const Token& token) const;

 private:
  Dialect dialect_;
  PlacedText placed_;
  CodeTier tier_ = CodeTier::text;
  Lexed lexed_;
};

// What a parser knows about tokens. Empty spans: the tokens have to speak for themselves.
struct TokenRoles {
  // Per token: consumed as a keyword, outside of expressions whose text can become a column name.
  std::span<const std::uint8_t> keyword;
};

class CodeHasher {
 public:
  // `text` and `ids` outlive the hasher; `ids` may be null.
  CodeHasher(const CodeText& text, const RelationIds* ids, TokenRoles roles = {});

  std::string hash() const;
  // Of some tokens, e.g. a CTE or an output column: tells what changed, decides nothing.
  std::string hash_range(TokenRange range) const;
  Preimage preimage() const;
  // Some tokens for another pre-image, as `preimage` has them.
  void add_tokens(Preimage& preimage, TokenRange range) const;
  // The same with nothing folded and no name replaced by an id.
  void add_as_written(Preimage& preimage, TokenRange range) const;
  // The node whose relation these tokens name, or null.
  const std::string* id_of(TokenRange range) const;
  bool holds_run_value(std::uint32_t token) const;
  // A word that is no name at its place, so that its case does not count.
  bool is_keyword(std::uint32_t index) const;
  // Ranges of tokens that are hashed as a node's id.
  const std::vector<TokenRange>& replaced() const { return replaced_; }

 private:
  void find_relations(const RelationIds& ids);
  void drop_ambiguous(const std::vector<TokenRange>& positions);
  std::string part_of(const TokenRange& name, std::uint32_t offset) const;
  void add_token(Preimage& preimage, std::uint32_t index, bool folded) const;
  void add_gap(Preimage& preimage, std::uint32_t index) const;

  const CodeText& text_;
  TokenRoles roles_;
  std::uint32_t end_ = 0;             // tokens before `;` at the end
  std::vector<TokenRange> replaced_;  // in order
  std::vector<const std::string*> replaced_ids_;
};

}  // namespace hodor
