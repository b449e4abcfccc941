// See canonical_text.hpp and text.hpp: what is common to all nodes.
#include "text.hpp"

#include <utility>

#include "hodor/canonical/canonical_text.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {

// tidy: dispatcher
void TextForm::node(NodeId id) {
  switch (tree_[id].kind) {
    case NodeKind::query:
      return query(id);
    case NodeKind::expr:
      return expr(id);
    case NodeKind::select:
      return select(id);
    case NodeKind::select_item:
      return select_item(id);
    case NodeKind::select_list:
      return list(id);
    case NodeKind::from:
      return from(id);
    case NodeKind::from_item:
      return from_item(id);
    case NodeKind::relation:
      return relation(id);
    case NodeKind::alias:
      return alias(id);
    case NodeKind::cast:
      if (tree_.has(id, flag::try_cast) ||
          tree_[tree_[id].first_child].next != tree_[id].last_child) {
        break;
      }
      return cast(tree_[id].last_child, nullptr, tree_[id].first_child);
    case NodeKind::type:
      return type(id);
    case NodeKind::pivot:
    case NodeKind::unpivot:
    case NodeKind::pivot_query:
    case NodeKind::opaque:
      return raw(id);
    case NodeKind::name:
    case NodeKind::column:
      return names(id);
    case NodeKind::star:
      return star(id);
    case NodeKind::call:
      return call(id);
    case NodeKind::where:
    case NodeKind::having:
    case NodeKind::qualify:
    case NodeKind::on:
      return condition(id);
    case NodeKind::grouping_sets:
    case NodeKind::group_by:
      return grouping(id);
    case NodeKind::order_item:
      return order_item(id);
    case NodeKind::case_when:
      return case_when(id);
    case NodeKind::literal:
      in_literal_ = visible_ > 0 && tree_.dialect == Dialect::duckdb &&
                    tree_.tokens[tree_[id].begin].word_class != WordClass::column_name &&
                    tree_[id].first_child != kNoNode;
      plain(id);
      in_literal_ = false;
      return;
    default:
      break;
  }
  plain(id);
}

void TextForm::plain(NodeId id) { rest(id, kNoNode); }

void TextForm::rest(NodeId id, NodeId after) {
  std::uint32_t from = after == kNoNode ? tree_[id].begin : tree_[after].end;
  NodeId child = after == kNoNode ? tree_[id].first_child : tree_[after].next;
  for (; child != kNoNode; child = tree_[child].next) {
    own_tokens(id, from, tree_[child].begin);
    break_before(id, child);
    node(child);
    from = tree_[child].end;
  }
  own_tokens(id, from, tree_[id].end);
}

void TextForm::break_before(NodeId parent, NodeId child) {
  if (child == tree_[parent].first_child) return;
  switch (tree_[parent].kind) {
    case NodeKind::query:
    case NodeKind::set_operations:
    case NodeKind::with:
      lines_.line();
      return;
    case NodeKind::select: {
      const NodeKind kind = tree_[child].kind;
      if (kind != NodeKind::select_list && kind != NodeKind::hint && kind != NodeKind::distinct) {
        lines_.line();
      }
      return;
    }
    case NodeKind::from_item:
      if (tree_[child].kind == NodeKind::join || tree_[child].kind == NodeKind::lateral_view) {
        lines_.line();
      }
      return;
    default:
      return;
  }
}

void TextForm::own_tokens(NodeId id, std::uint32_t begin, std::uint32_t end) {
  std::uint32_t before = kNone;
  for (std::uint32_t i = begin; i < end; ++i) {
    if (is_dropped(id, i)) continue;
    token(id, i, before != kNone && before + 1 == i);
    before = i;
  }
}

// The same tokens that Form drops.
bool TextForm::is_dropped(NodeId id, std::uint32_t token) const {
  const Node& node = tree_[id];
  const Token& t = tree_.tokens[token];
  if (node.kind == NodeKind::query && id == tree_.root && is_symbol(t, tree_.sql, ";")) return true;
  const bool is_shown = visible_ > 0 && tree_.dialect == Dialect::duckdb;
  if (is_shown && node.kind == NodeKind::order_item) return false;  // DuckDB names columns by ASC
  const auto keyword = [&](std::string_view word) {
    return tree_.keyword[token] != 0 && is_word(t, tree_.sql, word);
  };
  const auto before = [&](std::string_view word) {
    return token > node.begin && is_word(tree_.tokens[token - 1], tree_.sql, word);
  };
  switch (node.kind) {
    case NodeKind::select:
      return keyword("all");
    case NodeKind::select_list:
      return is_symbol(t, tree_.sql, ",");
    case NodeKind::from:
      return is_symbol(t, tree_.sql, ",") &&
             (token + 1 < node.end || !tree_.has(select_, flag::from_first));
    case NodeKind::group_by:
      return verbatim_ == 0 && is_symbol(t, tree_.sql, ",");
    case NodeKind::order_item:
      return keyword("asc") && !names_.as_written();
    case NodeKind::join:
      if (!is_word(tree_.tokens[token + 1], tree_.sql, "join")) return false;
      return (keyword("inner") && (token == node.begin || before("natural") || before("asof"))) ||
             (keyword("outer") && (before("left") || before("right") || before("full")));
    case NodeKind::set_operator:
      return keyword("distinct");
    default:
      return false;
  }
}

void TextForm::token(NodeId id, std::uint32_t number, bool follows) {
  const NodeKind kind = tree_[id].kind;
  const Token& t = tree_.tokens[number];
  Gap gap = gap_in(id, number);
  if (follows && source_gap(number, &gap)) {
    token_text(number, Gap::none);
    return;
  }
  token_text(number, gap);
  const bool is_sign = kind == NodeKind::op && tree_.has(id, flag::prefix) &&
                       t.kind == TokenKind::op && number + 1 == tree_[id].end;
  const bool joins = kind == NodeKind::cast_postfix || kind == NodeKind::time_travel ||
                     kind == NodeKind::subscript || kind == NodeKind::literal;
  const bool is_joint =
      is_symbol(t, tree_.sql, ":") || is_symbol(t, tree_.sql, "::") || is_symbol(t, tree_.sql, "@");
  if (is_sign || (joins && is_joint)) lines_.glue();
}

// A token in its node, where the usual space is not wanted.
TextLines::Gap TextForm::gap_in(NodeId id, std::uint32_t number) const {
  const Token& t = tree_.tokens[number];
  const auto is = [&](std::string_view symbol) { return is_symbol(t, tree_.sql, symbol); };
  switch (tree_[id].kind) {
    case NodeKind::call:
      return is("(") && number == tree_[tree_[id].first_child].end ? Gap::none : Gap::usual;
    case NodeKind::column_names:
    case NodeKind::cast:
      return is("(") ? Gap::none : Gap::usual;
    case NodeKind::type: {
      const Token& before = tree_.tokens[number - 1];
      const bool is_joint = t.kind == TokenKind::op || is("(") || is("[") || is(":");
      const bool follows = before.kind == TokenKind::op || is_symbol(before, tree_.sql, ":");
      return is_joint || follows ? Gap::none : Gap::usual;
    }
    case NodeKind::subscript:
      return is("[") || is(":") || is("::") ? Gap::none : Gap::usual;
    case NodeKind::json_path:
      return Gap::none;
    case NodeKind::cast_postfix:
      return is("::") || is("?") ? Gap::none : Gap::usual;
    case NodeKind::time_travel:
      return is("@") ? Gap::none : Gap::usual;
    case NodeKind::literal:
      return is(":") ? Gap::word : Gap::usual;
    default:
      return Gap::usual;
  }
}

// True when what stands between a token and the one before counts, and was put.
bool TextForm::source_gap(std::uint32_t number, Gap* gap) {
  const Token& before = tree_.tokens[number - 1];
  const Token& t = tree_.tokens[number];
  const std::string_view between = tree_.sql.substr(before.end, t.begin - before.end);
  if (t.odd_space_before ||
      (t.block_comment_before && is_string(before.kind) && is_string(t.kind))) {
    lines_.put_gap(between);
    return true;
  }
  if (is_string(before.kind) && is_string(t.kind)) {
    lines_.put_gap(t.newline_before ? "\n" : t.space_before ? " " : "");
    return true;
  }
  if (t.space_before) return false;
  const auto is_wordlike = [](TokenKind kind) {
    return kind == TokenKind::identifier || kind == TokenKind::quoted_identifier ||
           is_string(kind) || kind == TokenKind::number || kind == TokenKind::parameter;
  };
  const auto acts = [](TokenKind kind) {
    return kind == TokenKind::op || kind == TokenKind::parameter;
  };
  const bool counts = (is_wordlike(before.kind) && is_wordlike(t.kind)) ||
                      (acts(before.kind) && acts(t.kind)) || t.kind == TokenKind::hint ||
                      before.kind == TokenKind::hint;
  if (counts) *gap = Gap::none;
  return false;
}

void TextForm::token_text(std::uint32_t number, Gap gap) {
  const Token& t = tree_.tokens[number];
  if (!in_literal_ && tokens_.is_keyword(number)) {
    lines_.put(tree_.names.text(t.name), gap);
    return;
  }
  if (is_first_ && t.name != kNoName) names_.note_other(t.name);
  lines_.put(t.text(tree_.sql), gap);
}

// Where the engine may take names and values by their text: token by token.
void TextForm::raw(NodeId id) {
  for (std::uint32_t i = tree_[id].begin; i < tree_[id].end; ++i) {
    const Token& t = tree_.tokens[i];
    const bool follows = i > tree_[id].begin;
    const auto is = [&](std::string_view symbol) { return is_symbol(t, tree_.sql, symbol); };
    Gap gap = Gap::usual;
    if (follows && source_gap(i, &gap)) {
      token_text(i, Gap::none);
      continue;
    }
    const bool is_called = is("(") && tree_.tokens[i - 1].name != kNoName &&
                           tree_.keyword[i - 1] == 0 && !tokens_.is_keyword(i - 1);
    const bool is_joint = is("::") || is("[") || is(":") || is("@");
    if (is_called || (is_joint && !t.space_before)) gap = Gap::none;
    const bool is_function = t.kind == TokenKind::identifier &&
                             is_symbol(tree_.tokens[i + 1], tree_.sql, "(") &&
                             tree_.names.word(t.name).is_builtin_function;
    if (is_function) {
      lines_.put(tree_.names.text(t.name), gap);
    } else {
      token_text(i, gap);
    }
    if ((is_joint || (t.kind == TokenKind::op && gap == Gap::none)) &&
        !tree_.tokens[i + 1].space_before) {
      lines_.glue();
    }
  }
}

// One branch a line, when there are several.
void TextForm::case_when(NodeId id) {
  int branches = 0;
  std::uint32_t from = tree_[id].begin;
  const auto count = [&](std::uint32_t end) {
    for (; from < end; ++from) branches += is_word(tree_.tokens[from], tree_.sql, "when") ? 1 : 0;
  };
  for (const NodeId child : children(tree_, id)) {
    count(tree_[child].begin);
    from = tree_[child].end;
  }
  if (branches < 2) return plain(id);
  from = tree_[id].begin;
  const auto words = [&](std::uint32_t end) {
    for (std::uint32_t i = from; i < end; ++i) {
      const Token& t = tree_.tokens[i];
      if (is_word(t, tree_.sql, "when") || is_word(t, tree_.sql, "else")) lines_.line();
      if (i + 1 == tree_[id].end) {
        lines_.dedent();
        lines_.line();
      }
      token(id, i, i > from);
      if (i == tree_[id].begin) lines_.indent();
    }
  };
  for (const NodeId child : children(tree_, id)) {
    words(tree_[child].begin);
    node(child);
    from = tree_[child].end;
  }
  words(tree_[id].end);
}

}  // namespace hodor
