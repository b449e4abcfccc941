// Names, stars, calls and types in the canonical text.
#include <utility>

#include "hodor/syntax/words.hpp"
#include "shown_names.hpp"
#include "text.hpp"
#include "type_names.hpp"

namespace hodor {

void TextForm::name(std::uint32_t token) {
  using Kind = NameUse::Kind;
  if (visible_ > 0) {
    if (is_first_) names_.note_as_written(token);
    return written_name(token, false);
  }
  const NameUse use = names_.use(token);
  switch (use.kind) {
    case Kind::source:
      return name_of_source(use.number);
    case Kind::dropped:
      if (names_.source_of(token) != kNone) return name_of_source(names_.source_of(token));
      return written_name(token, true);
    case Kind::column:
    case Kind::cte: {
      const std::uint32_t kept = names_.kept_definition(use.number);
      if (kept != kNone) return written_name(kept, true, false);
      lines_.put(names_.new_definition(use.number, use.kind == Kind::cte));
      return;
    }
    case Kind::folded:
      return written_name(token, true);
    case Kind::keeps_case:
      return written_name(token, names_.in_piece());
    case Kind::as_written:
      return written_name(token, false);
  }
}

void TextForm::name_of_source(std::uint32_t source) {
  if (is_first_) names_.note_use(source);
  const std::uint32_t kept = names_.kept_source(source);
  if (kept != kNone) return written_name(kept, true, false);
  lines_.put(names_.new_source(source));
}

// As Form counts it: without quotes that are not needed.
void TextForm::written_name(std::uint32_t token, bool folds, bool is_in_place) {
  const Token& t = tree_.tokens[token];
  if (is_first_ && t.name != kNoName) names_.note_other(t.name);
  const std::string_view written = t.text(tree_.sql);
  if (t.name == kNoName || !tree_.names.is_plain(t.name) || tokens_.holds_run_value(token)) {
    lines_.put(written);
    return;
  }
  const bool has_quotes = t.kind == TokenKind::quoted_identifier;
  std::string_view text = has_quotes ? written.substr(1, written.size() - 2) : written;
  if (folds && !names_.as_written()) text = tree_.names.text(t.name);
  // Behind a dot any word is a name.
  const bool is_part =
      is_in_place && token > 0 && is_symbol(tree_.tokens[token - 1], tree_.sql, ".");
  if (!has_quotes || is_part || !needs_quotes(tree_.names.word(t.name))) {
    lines_.put(text);
    return;
  }
  const char quote = tree_.dialect == Dialect::duckdb ? '"' : '`';
  word_.assign(1, quote).append(text).append(1, quote);
  lines_.put(word_);
}

void TextForm::names(NodeId id) {
  std::uint32_t first = tree_[id].begin;
  if (visible_ == 0 && names_.drops_qualifier(tree_[id])) first += 2;
  for (std::uint32_t i = first; i < tree_[id].end; ++i) {
    if (is_symbol(tree_.tokens[i], tree_.sql, ".")) {
      lines_.put(".");
    } else {
      name(i);
    }
  }
}

void TextForm::path(NodeId id) {
  const std::uint32_t last = tree_[id].end - 1;
  for (std::uint32_t i = tree_[id].begin; i <= last; i += 2) {
    if (i > tree_[id].begin) lines_.put(".");
    const NameUse::Kind kind = names_.use(last).kind;
    if (visible_ > 0 || (i == last && kind == NameUse::Kind::cte)) {
      name(i);
    } else if (i == last && kind == NameUse::Kind::dropped) {
      const bool is_first = std::exchange(is_first_, false);  // no other thing of that name
      written_name(i, true);
      is_first_ = is_first;
      if (is_first) names_.note_relation(tree_.tokens[i].name);
    } else {
      written_name(i, true);
    }
  }
}

void TextForm::call(NodeId id) {
  const NodeId called = tree_[id].first_child;
  const bool is_word = called != kNoNode && tree_[called].kind == NodeKind::path &&
                       tree_[called].end == tree_[called].begin + 1 &&
                       tree_.tokens[tree_[called].begin].kind == TokenKind::identifier;
  const NameId function = is_word ? tree_.tokens[tree_[called].begin].name : kNoName;
  const WordEntry& word = tree_.names.word(function);
  const bool is_table_function =
      word.is_pure_table_function && tree_.dialect == Dialect::databricks;
  if (!word.is_builtin_function && !word.is_grammar_call && !is_table_function) return plain(id);
  own_tokens(id, tree_[id].begin, tree_[called].begin);
  if (is_first_) names_.note_other(function);
  lines_.put(word.text);
  rest(id, called);
}

void TextForm::star(NodeId id) {
  std::uint32_t at = tree_[id].begin;
  for (; at < tree_[id].end && !is_symbol(tree_.tokens[at], tree_.sql, "*"); ++at) {
    if (is_symbol(tree_.tokens[at], tree_.sql, ".")) {
      lines_.put(".");
    } else {
      name(at);
    }
  }
  ++verbatim_;
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, at, tree_[child].begin);
    node(child);
    at = tree_[child].end;
  }
  --verbatim_;
  own_tokens(id, at, tree_[id].end);
}

void TextForm::type(NodeId id) {
  const NodeId named = tree_[id].first_child;
  const bool is_word = named != kNoNode && tree_[named].kind == NodeKind::path &&
                       tree_[named].end == tree_[named].begin + 1 &&
                       tree_.tokens[tree_[named].begin].kind == TokenKind::identifier;
  if (!is_word || names_.as_written()) return plain(id);
  const Token& t = tree_.tokens[tree_[named].begin];
  const std::string_view written = t.text(tree_.sql);
  const bool is_duckdb = tree_.dialect == Dialect::duckdb;
  const bool is_grammars = is_duckdb && t.word_class == WordClass::column_name;
  const bool is_single = named == tree_[id].last_child && tree_[named].end == tree_[id].end;
  const bool is_list = is_duckdb && is_symbol(tree_.tokens[tree_[named].end], tree_.sql, "[");
  std::string_view known = decimal_name(written);
  if (known.empty() && (is_single || is_list) && (visible_ == 0 || !is_duckdb || is_grammars)) {
    known = type_name(written, tree_.dialect);
  }
  const bool is_several = known.find(' ') != std::string_view::npos;  // read as another type
  if (is_several || (known.empty() && is_grammars)) known = tree_.names.text(t.name);
  if (known.empty()) return plain(id);
  lines_.put(known);
  rest(id, named);
}

}  // namespace hodor
