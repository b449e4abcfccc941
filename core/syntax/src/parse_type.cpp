// Type names: decimal(10, 2), struct(a int, b text)[], map<string, array<int>>, double precision.
#include "parser_state.hpp"

namespace hodor {

NodeId Parser::type() {
  const NodeId id = start(NodeKind::type);
  if (!enter()) {
    problem("nested too deeply");
    opaque_flat(id);
    leave();
    return finish(id);
  }
  if (at_label()) {
    add(id, path(NodeKind::path));
    type_words();
    if (at('(')) {
      type_arguments(id);
    } else if (!duckdb() && (at('<') || at_op("<>"))) {
      type_angles();
    }
    type_words();
    while (true) {
      if (at('[') && (at(']', 1) || at(']', 2))) {
        while (!at(']')) advance();
        advance();
      } else if (duckdb() && at(W::w_array) && at('[', 1)) {
        take_keyword();
      } else if (duckdb() && at(W::w_array) && !at('(', 1)) {
        take_keyword();
      } else {
        break;
      }
    }
  } else {
    problem("type expected");
  }
  leave();
  return finish(id);
}

// The words after the first of a type's name.
void Parser::type_words() {
  if (!duckdb() && at(W::w_collate) && at_label(1)) {
    take_keyword();
    advance();
  }
  if (at(W::w_precision) || at(W::w_varying)) take_keyword();
  if ((at(W::w_with) || at(W::w_without)) && at(W::w_time, 1) && at(W::w_zone, 2)) {
    for (int i = 0; i < 3; ++i) take_keyword();
  }
  const Token& before = tree_.tokens[pos_ - 1];
  if (!is_word(before, tree_.sql, "interval")) return;
  static constexpr std::string_view kUnits[] = {"year", "month", "day", "hour", "minute", "second"};
  for (const std::string_view unit : kUnits) {
    if (!at_word_text(unit)) continue;
    take_keyword();
    if (at(W::w_to) && at_label(1)) {
      take_keyword();
      take_keyword();
    }
    return;
  }
}

// '(' numbers, strings, types or `name type` pairs ')'
void Parser::type_arguments(NodeId id) {
  advance();
  while (!at_closer()) {
    const std::uint32_t before = pos_;
    if (at_label()) {
      const bool pair = at_label(1) && !at(W::w_with, 1) && !at(W::w_without, 1) &&
                        !at(W::w_precision, 1) && !at(W::w_varying, 1);
      if (pair) advance();
      if (!(at_label() && at_string(1))) {
        add(id, type());
      }
    } else {
      while (!at(',') && !at_closer() && !at('(')) advance();
    }
    if (!accept(',') || pos_ == before) break;
  }
  expect(')', "end of a type expected", id);
}

// Spark '<' ... '>': builtin types only, so the names inside do not matter.
void Parser::type_angles() {
  int depth = 0;
  do {
    for (const char c : token().text(tree_.sql)) {
      if (c == '<') ++depth;
      if (c == '>') --depth;
    }
    if (at(')') && depth > 0) {
      problem("end of a type expected");
      return;
    }
    if (at('(') && closer_of(pos_) < last_) pos_ = closer_of(pos_);
    advance();
  } while (depth > 0 && !at_end());
}

}  // namespace hodor
