#include "hodor/fingerprint/code_hash.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "hodor/base/sha256.hpp"
#include "hodor/fingerprint/relation_positions.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

const char* name_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::duckdb:
      return "duckdb";
    case Dialect::databricks:
      return "databricks";
  }
  return "";
}

// Words, numbers, strings and parameters: two of them without a gap may be cut differently
// elsewhere.
bool is_wordlike(TokenKind kind) {
  return is_name(kind) || is_string(kind) || kind == TokenKind::number ||
         kind == TokenKind::parameter;
}

bool gap_matters(const Token& before, const Token& token) {
  if (token.space_before) return false;
  const bool before_acts = before.kind == TokenKind::op || before.kind == TokenKind::parameter;
  const bool token_acts = token.kind == TokenKind::op || token.kind == TokenKind::parameter;
  return (is_wordlike(before.kind) && is_wordlike(token.kind)) || (before_acts && token_acts) ||
         token.kind == TokenKind::hint || before.kind == TokenKind::hint;
}

}  // namespace

CodeHasher::CodeHasher(const CodeText& text, const RelationIds* ids, TokenRoles roles)
    : text_(text), roles_(roles) {
  const std::vector<Token>& tokens = text.tokens();
  end_ = static_cast<std::uint32_t>(tokens.size() - 1);
  while (end_ > 0 && is_symbol(tokens[end_ - 1], text.sql(), ";")) --end_;
  if (ids != nullptr && text.tier() == CodeTier::tokens) find_relations(*ids);
}

void CodeHasher::find_relations(const RelationIds& ids) {
  const std::vector<Token>& tokens = text_.tokens();
  const std::vector<TokenRange> positions = find_relation_positions(text_.sql(), tokens);
  for (const TokenRange& position : positions) {
    RelationIds::Parts parts;
    bool has_run_value = false;
    for (std::uint32_t i = position.begin; i < position.end; i += 2) {
      parts.push_back(name_value(tokens[i], text_.sql()));
      has_run_value = has_run_value || !text_.run_values_in(tokens[i]).empty();
    }
    const std::string* id = has_run_value ? nullptr : ids.find(parts);
    if (id == nullptr) continue;
    replaced_.push_back(position);
    replaced_ids_.push_back(id);
  }
  if (!replaced_.empty()) drop_ambiguous(positions);
}

// Keeps a name as written when the text could tell it from another name of the same node: when one
// node has two names here, or when its database or schema is a name elsewhere in the text.
void CodeHasher::drop_ambiguous(const std::vector<TokenRange>& positions) {
  const std::size_t count = replaced_.size();
  std::unordered_map<std::string, std::string> name_of_id;
  std::unordered_set<std::string> shared_ids;
  std::unordered_map<std::string, bool> is_mentioned;  // databases and schemas of the names
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = part_of(replaced_[i], 0) + '\0' + part_of(replaced_[i], 2) + '\0' +
                             part_of(replaced_[i], 4);
    const auto [known, is_new] = name_of_id.emplace(*replaced_ids_[i], name);
    if (!is_new && known->second != name) shared_ids.insert(*replaced_ids_[i]);
    is_mentioned[part_of(replaced_[i], 0)] = false;
    is_mentioned[part_of(replaced_[i], 2)] = false;
  }
  const std::vector<Token>& tokens = text_.tokens();
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < end_; ++i) {
    if (next < positions.size() && positions[next].begin == i) {
      i = positions[next++].end - 1;  // a table's name refers to no column or alias
    } else if (is_name(tokens[i].kind)) {
      const auto found = is_mentioned.find(lower_case(name_value(tokens[i], text_.sql())));
      if (found != is_mentioned.end()) found->second = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool drop = shared_ids.contains(*replaced_ids_[i]) ||
                      is_mentioned[part_of(replaced_[i], 0)] ||
                      is_mentioned[part_of(replaced_[i], 2)];
    if (drop) continue;
    replaced_[kept] = replaced_[i];
    replaced_ids_[kept++] = replaced_ids_[i];
  }
  replaced_.resize(kept);
  replaced_ids_.resize(kept);
}

std::string CodeHasher::part_of(const TokenRange& name, std::uint32_t offset) const {
  return lower_case(name_value(text_.tokens()[name.begin + offset], text_.sql()));
}

// A word that is no name at its place. Behind AS and a dot, and before `:`, `:=` and `=>`, any word
// may be one.
bool CodeHasher::is_keyword(std::uint32_t index) const {
  const std::vector<Token>& tokens = text_.tokens();
  const std::string& sql = text_.sql();
  const Token& token = tokens[index];
  if (token.kind != TokenKind::identifier) return false;
  // QUALIFY is no keyword of Spark's, but of Databricks'.
  const bool told = index < roles_.keyword.size() && roles_.keyword[index] != 0 &&
                    (token.word_class != WordClass::none || is_word(token, sql, "qualify"));
  if (!told && !is_always_keyword(text_.dialect(), token.word_class)) return false;
  if (index > 0 &&
      (is_symbol(tokens[index - 1], sql, ".") || is_word(tokens[index - 1], sql, "as"))) {
    return false;
  }
  const Token& after = tokens[index + 1];
  return !is_symbol(after, sql, ":") && !is_symbol(after, sql, ":=") &&
         !is_symbol(after, sql, "=>");
}

void CodeHasher::add_gap(Preimage& preimage, std::uint32_t index) const {
  const Token& before = text_.tokens()[index - 1];
  const Token& token = text_.tokens()[index];
  if (gap_matters(before, token)) preimage.boolean("glued", true);
  if (token.odd_space_before) {
    preimage.text("gap",
                  std::string_view(text_.sql()).substr(before.end, token.begin - before.end));
  } else if (is_string(before.kind) && is_string(token.kind)) {
    preimage.text("gap", token.block_comment_before ? "comment"
                         : token.newline_before     ? "line break"
                         : token.space_before       ? "space"
                                                    : "");
  }
}

void CodeHasher::add_token(Preimage& preimage, std::uint32_t index, bool folded) const {
  const Token& token = text_.tokens()[index];
  const std::string_view sql = text_.sql();
  if (text_.run_values_in(token).empty()) {
    if (folded && is_keyword(index)) {
      preimage.text("", text_.lexed().names.text(token.name));
    } else {
      preimage.text("", token.text(sql));
    }
    return;
  }
  preimage.begin_list("token");
  std::size_t from = token.begin;
  for (const RunValuePlace& place : text_.run_values_in(token)) {
    preimage.text("", sql.substr(from, place.begin - from));
    preimage.text("run_value", place.placeholder);
    from = place.end;
  }
  preimage.text("", sql.substr(from, token.end - from));
  preimage.end_list();
}

void CodeHasher::add_tokens(Preimage& preimage, TokenRange range) const {
  if (range.end == range.begin + 1) {
    add_token(preimage, range.begin, true);
    return;
  }
  auto next = std::lower_bound(
      replaced_.begin(), replaced_.end(), range.begin,
      [](const TokenRange& replaced, std::uint32_t begin) { return replaced.begin < begin; });
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    if (i > range.begin) add_gap(preimage, i);
    if (next != replaced_.end() && next->begin == i && next->end <= range.end) {
      preimage.begin_list("relation");
      preimage.text("id", *replaced_ids_[static_cast<std::size_t>(next - replaced_.begin())]);
      add_token(preimage, next->end - 1, true);
      preimage.end_list();
      i = next->end - 1;
      ++next;
    } else {
      add_token(preimage, i, true);
    }
  }
}

void CodeHasher::add_as_written(Preimage& preimage, TokenRange range) const {
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    if (i > range.begin) add_gap(preimage, i);
    add_token(preimage, i, false);
  }
}

const std::string* CodeHasher::id_of(TokenRange range) const {
  if (replaced_.empty()) return nullptr;
  const auto found = std::lower_bound(replaced_.begin(), replaced_.end(), range);
  if (found == replaced_.end() || *found != range) return nullptr;
  return replaced_ids_[static_cast<std::size_t>(found - replaced_.begin())];
}

bool CodeHasher::holds_run_value(std::uint32_t token) const {
  return !text_.run_value_places().empty() && !text_.run_values_in(text_.tokens()[token]).empty();
}

Preimage CodeHasher::preimage() const {
  Preimage preimage;
  preimage.text("kind", "code");
  preimage.text("dialect", name_of(text_.dialect()));
  if (text_.tier() == CodeTier::tokens) {
    preimage.text("tier", "tokens");
    add_tokens(preimage, {0, end_});
  } else {
    preimage.text("tier", "text");
    std::string_view sql = text_.sql();
    std::size_t from = 0;
    for (const RunValuePlace& place : text_.run_value_places()) {
      preimage.text("", sql.substr(from, place.begin - from));
      preimage.text("run_value", place.placeholder);
      from = place.end;
    }
    preimage.text("", sql.substr(from));
  }
  return preimage;
}

std::string CodeHasher::hash() const { return sha256_hex(preimage().bytes()); }

std::string CodeHasher::hash_range(TokenRange range) const {
  Preimage part;
  part.reserve(16 * (range.end - std::min(range.begin, range.end)) + 64);
  part.text("kind", "part");
  part.text("dialect", name_of(text_.dialect()));
  const std::uint32_t end = std::min(range.end, end_);
  add_tokens(part, {std::min(range.begin, end), end});
  return sha256_hex(part.bytes());
}

}  // namespace hodor
