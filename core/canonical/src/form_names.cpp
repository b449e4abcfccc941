// Names in the canonical form: columns, tables, aliases.
#include "form.hpp"
#include "hodor/syntax/words.hpp"
#include "shown_names.hpp"

namespace hodor {

// The name as it counts when it is only letters, digits and '_', and needs no quotes. Empty for
// others.
std::string_view Form::plain_name(std::uint32_t token, NameUse::Kind use, bool* is_quoted) const {
  const Token& t = tree_.tokens[token];
  const std::string_view folded = tree_.names.text(t.name);
  if (t.name == kNoName || !tree_.names.is_plain(t.name) || tokens_.holds_run_value(token))
    return {};
  const bool has_quotes = t.kind == TokenKind::quoted_identifier;
  // Behind a dot any word is a name.
  const bool is_part = token > 0 && is_symbol(tree_.tokens[token - 1], tree_.sql, ".");
  *is_quoted = has_quotes && !is_part && needs_quotes(tree_.names.word(t.name));
  if (use == NameUse::Kind::folded) return folded;
  const std::string_view written = t.text(tree_.sql);
  return has_quotes ? written.substr(1, written.size() - 2) : written;
}

// Where an item stands at another place, and where another thing stands for an item.
NameUse::Kind Form::as_it_counts(std::uint32_t token, NameUse::Kind kind) const {
  if (folds_ && kind == NameUse::Kind::keeps_case) return NameUse::Kind::folded;
  if (token == kept_token_ && kind == NameUse::Kind::folded) return NameUse::Kind::keeps_case;
  return kind;
}

void Form::name(std::uint32_t token, NameUse use) {
  using Kind = NameUse::Kind;
  if (visible_ > 0) use = {Kind::keeps_case, 0};
  use.kind = as_it_counts(token, use.kind);
  switch (use.kind) {
    case Kind::dropped:
      return;
    case Kind::source:
      preimage_.integer("source", use.number);
      return;
    case Kind::column:
      preimage_.integer("definition", numbered(use.number));
      return;
    case Kind::cte:
      preimage_.integer("cte", numbered(use.number));
      return;
    case Kind::folded:
    case Kind::keeps_case:
    case Kind::as_written:
      break;
  }
  bool is_quoted = false;
  const std::string_view text = plain_name(token, use.kind, &is_quoted);
  if (text.empty()) {
    tokens_.add_as_written(preimage_, {token, token + 1});
  } else {
    preimage_.text(is_quoted ? "quoted" : "name", text);
  }
}

// A name that is all of its node as one field, which most are. False: it needs a list.
bool Form::name_as(std::string_view kind, std::uint32_t token) {
  NameUse use = naming_[token];
  if (visible_ > 0) use = {NameUse::Kind::keeps_case, 0};
  use.kind = as_it_counts(token, use.kind);
  if (use.kind == NameUse::Kind::column) {
    preimage_.integer(kind, numbered(use.number));
    return true;
  }
  if (use.kind != NameUse::Kind::folded && use.kind != NameUse::Kind::keeps_case &&
      use.kind != NameUse::Kind::as_written) {
    return false;
  }
  bool is_quoted = false;
  const std::string_view text = plain_name(token, use.kind, &is_quoted);
  if (text.empty() || is_quoted) return false;
  preimage_.text(kind, text);
  return true;
}

// A column or a single name: only its names, since their places are all that dots tell.
void Form::names(NodeId id) {
  const std::string_view kind = name_of(tree_[id].kind);
  std::uint32_t first = tree_[id].begin;
  if (visible_ == 0 && tree_[id].end == first + 3 &&
      naming_[first].kind == NameUse::Kind::dropped) {
    first += 2;
  }
  if (tree_[id].end == first + 1 && name_as(kind, first)) return;
  preimage_.begin_list(kind);
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
    if (!is_symbol(tree_.tokens[i], tree_.sql, ".")) name(i, naming_[i]);
  }
  preimage_.end_list();
}

// The name of a relation: the node that it belongs to, with the name itself where the text refers
// to it in a way that is not understood.
void Form::path(NodeId id) {
  const std::uint32_t last = tree_[id].end - 1;
  const NameUse use = naming_[last];
  const std::string* node = tokens_.id_of({tree_[id].begin, tree_[id].end});
  preimage_.begin_list(name_of(NodeKind::path));
  if (visible_ > 0) {
    for (std::uint32_t i = tree_[id].begin; i <= last; i += 2) name(i, use);
  } else if (node != nullptr) {
    preimage_.text("id", *node);
    if (use.kind != NameUse::Kind::dropped) name(last, {NameUse::Kind::folded, 0});
  } else if (use.kind == NameUse::Kind::cte) {
    name(last, use);
  } else {
    for (std::uint32_t i = tree_[id].begin; i <= last; i += 2) {
      name(i, {NameUse::Kind::folded, 0});
    }
    // Without an alias in its way the text may mean the table by this name.
    if (use.kind != NameUse::Kind::dropped) preimage_.boolean("by_name", true);
  }
  preimage_.end_list();
}

// The case of a function's name does not count, nor in the name that the engine gives a column.
// What alias() and struct_pack() are given counts as that name does.
void Form::call(NodeId id) {
  const NodeId called = tree_[id].first_child;
  const bool is_word = called != kNoNode && tree_[called].kind == NodeKind::path &&
                       tree_[called].end == tree_[called].begin + 1 &&
                       tree_.tokens[tree_[called].begin].kind == TokenKind::identifier;
  const NameId function = is_word ? tree_.tokens[tree_[called].begin].name : kNoName;
  const WordEntry& word = tree_.names.word(function);
  // Spark gives the columns of a table function names of their own, DuckDB that of the function.
  const bool is_table_function =
      word.is_pure_table_function && tree_.dialect == Dialect::databricks;
  if (!word.is_builtin_function && !word.is_grammar_call && !is_table_function) {
    plain(id);
    return;
  }
  const bool reads_text =
      tree_.dialect == Dialect::duckdb &&
      (word.text == "alias" || (word.text == "struct_pack" && !names_fields(id)));
  if (!reads_text) {
    builtin_call(id, word);
    return;
  }
  ++visible_;
  grouping_.keep_chains(true);
  builtin_call(id, word);
  --visible_;
  grouping_.keep_chains(visible_ > 0);
}

// Whether each argument of struct_pack() gives its field a name; else DuckDB makes one of the text.
bool Form::names_fields(NodeId id) const {
  for (NodeId child = tree_[tree_[id].first_child].next; child != kNoNode;
       child = tree_[child].next) {
    const bool is_named = tree_[child].kind != NodeKind::argument ||
                          tree_.has(child, flag::named) ||
                          is_plain_column(tree_[child].first_child);
    if (!is_named) return false;
  }
  return true;
}

void Form::builtin_call(NodeId id, const WordEntry& word) {
  if (rewritten_call(id, word)) return;
  preimage_.begin_list(name_of(NodeKind::call));
  call_tokens(id, word);
  preimage_.end_list();
}

void Form::star(NodeId id) {
  preimage_.begin_list(name_of(NodeKind::star));
  std::uint32_t at = tree_[id].begin;
  if (is_whole_source(id)) at += 2;
  for (; at < tree_[id].end && !is_symbol(tree_.tokens[at], tree_.sql, "*"); ++at) {
    if (!is_symbol(tree_.tokens[at], tree_.sql, ".")) name(at, naming_[at]);
  }
  ++verbatim_;  // options
  for (const NodeId child : children(tree_, id)) {
    own_tokens(id, at, tree_[child].begin);
    if (!excluded_columns(child)) node(child);
    at = tree_[child].end;
  }
  --verbatim_;
  own_tokens(id, at, tree_[id].end);
  preimage_.end_list();
}

bool Form::is_dropped_alias(NodeId id) const {
  const NodeId name = tree_.child(id, NodeKind::name);
  return visible_ == 0 && name != kNoNode &&
         naming_[tree_[name].begin].kind == NameUse::Kind::dropped &&
         tree_.child(id, NodeKind::column_names) == kNoNode;
}

}  // namespace hodor
