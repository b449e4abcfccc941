#include <algorithm>

#include "hodor/fingerprint/code_hash.hpp"

namespace hodor {
namespace {

// Is every run value inside a token that can hold one, or in a comment?
bool all_held(const PlacedText& placed, const std::vector<Token>& tokens) {
  const auto can_hold = [](TokenKind kind) {
    return kind == TokenKind::string || kind == TokenKind::escape_string ||
           kind == TokenKind::raw_string || kind == TokenKind::national_string ||
           kind == TokenKind::quoted_identifier || kind == TokenKind::hint;
  };
  std::size_t i = 0;
  for (const RunValuePlace& place : placed.places) {
    while (tokens[i].end <= place.begin && tokens[i].kind != TokenKind::end) ++i;
    const Token& token = tokens[i];          // the first that ends behind the place's begin
    if (token.begin >= place.end) continue;  // in a gap: the lexer found a comment there
    const bool inside = token.begin < place.begin && place.end < token.end;
    if (!inside || !can_hold(token.kind)) return false;
  }
  return true;
}

}  // namespace

CodeText::CodeText(std::string_view text, Dialect dialect, const RunValues& run_values)
    : dialect_(dialect), placed_(place_run_values(text, run_values)), lexed_(dialect) {
  if (placed_.plain) {
    Lexed lexed = lex(placed_.text, dialect);
    if (lexed.ok && all_held(placed_, lexed.tokens)) {
      tier_ = CodeTier::tokens;
      lexed_ = std::move(lexed);
      return;
    }
  }
  // The text itself: in the text tier nothing but the hash needs the placeholders, and it gets them
  // from the places.
  Token end;
  end.begin = end.end = 0;
  lexed_.tokens = {end};
}

std::span<const RunValuePlace> CodeText::run_values_in(const Token& token) const {
  if (placed_.places.empty()) return {};
  const auto ends_before = [](const RunValuePlace& place, std::uint32_t at) {
    return place.end <= at;
  };
  const auto begins_before = [](const RunValuePlace& place, std::uint32_t at) {
    return place.begin < at;
  };
  const std::vector<RunValuePlace>& places = placed_.places;
  const auto first = std::lower_bound(places.begin(), places.end(), token.begin, ends_before);
  return {first, std::lower_bound(first, places.end(), token.end, begins_before)};
}

}  // namespace hodor
