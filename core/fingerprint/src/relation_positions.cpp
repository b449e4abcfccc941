#include "hodor/fingerprint/relation_positions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hodor {
namespace {

// What an opening parenthesis holds.
enum class Level {
  query,  // a query, or the whole text
  from,   // the tables of a query: inside FROM, or a parenthesis in it
  other   // arguments, values, anything else
};

constexpr std::array<std::string_view, 26> kEndsFrom = {
    "select",  "where",  "group",   "having",    "qualify", "window", "order",
    "limit",   "offset", "fetch",   "union",     "except",  "minus",  "set",
    "cluster", "sort",   "using",   "values",    "on",      "when",   "distribute",
    "then",    "pivot",  "unpivot", "intersect", "lateral"};

class Finder {
 public:
  Finder(std::string_view sql, const std::vector<Token>& tokens) : sql_(sql), tokens_(tokens) {}

  std::vector<TokenRange> run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is_symbol(tokens_[i], sql_, "(")) {
        levels_.push_back(level_of_parenthesis(i));
      } else if (is_symbol(tokens_[i], sql_, ")")) {
        if (levels_.size() > 1) levels_.pop_back();
      } else if (!is_label(i)) {
        note_word(i);
      }
      if (expects_table(i)) take_name(i + 1);
    }
    return std::move(found_);
  }

 private:
  bool word_at(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && is_word(tokens_[i], sql_, word);
  }
  bool symbol_at(std::size_t i, std::string_view symbol) const {
    return i < tokens_.size() && is_symbol(tokens_[i], sql_, symbol);
  }
  bool name_at(std::size_t i) const {
    return i < tokens_.size() && (tokens_[i].kind == TokenKind::identifier ||
                                  tokens_[i].kind == TokenKind::quoted_identifier);
  }
  // A word behind a dot or AS is a name, whatever it is otherwise.
  bool is_label(std::size_t i) const {
    return i > 0 && (symbol_at(i - 1, ".") || word_at(i - 1, "as"));
  }

  Level level_of_parenthesis(std::size_t i) const {
    if (expects_table(i - 1) && !starts_query(i + 1)) return Level::from;
    if (word_at(i + 1, "select") || word_at(i + 1, "with")) return Level::query;
    // `trim(from x)`: behind a name only SELECT and WITH start a query.
    const bool behind_name = i > 0 && name_at(i - 1) && !word_at(i - 1, "as") &&
                             !word_at(i - 1, "in") && !word_at(i - 1, "exists");
    return starts_query(i + 1) && !behind_name ? Level::query : Level::other;
  }
  bool starts_query(std::size_t i) const {
    return word_at(i, "select") || word_at(i, "with") || word_at(i, "from") || word_at(i, "table");
  }

  void note_word(std::size_t i) {
    Level& level = levels_.back();
    if (level == Level::other || tokens_[i].kind != TokenKind::identifier) {
      if (level == Level::from && symbol_at(i, "|>")) level = Level::query;
      return;
    }
    if (word_at(i, "from")) {
      const bool is_comparison = i > 0 && word_at(i - 1, "distinct");
      if (!is_comparison) level = Level::from;
      return;
    }
    const std::string_view text = tokens_[i].text(sql_);
    const bool ends = std::any_of(kEndsFrom.begin(), kEndsFrom.end(), [&](std::string_view word) {
      return equals_ignoring_case(text, word);
    });
    if (ends && level == Level::from) level = Level::query;
    // A join behind an ON or USING that ended the tables goes on with them.
    if (word_at(i, "join")) level = Level::from;
  }

  // Does a table stand behind token `i`?
  bool expects_table(std::size_t i) const {
    if (i >= tokens_.size() || is_label(i)) return false;
    if (levels_.back() == Level::from) {
      return word_at(i, "from") || word_at(i, "join") || symbol_at(i, ",") ||
             (symbol_at(i, "(") && levels_.size() > 1);
    }
    return levels_.back() == Level::query && (word_at(i, "into") || word_at(i, "table"));
  }

  void take_name(std::size_t i) {
    const bool is_name = name_at(i) && symbol_at(i + 1, ".") && name_at(i + 2) &&
                         symbol_at(i + 3, ".") && name_at(i + 4);
    if (!is_name || symbol_at(i + 5, ".") || symbol_at(i + 5, "(")) return;
    found_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i + 5)});
  }

  std::string_view sql_;
  const std::vector<Token>& tokens_;
  std::vector<Level> levels_ = {Level::query};
  std::vector<TokenRange> found_;
};

}  // namespace

std::vector<TokenRange> find_relation_positions(std::string_view sql,
                                                const std::vector<Token>& tokens) {
  return Finder(sql, tokens).run();
}

}  // namespace hodor
