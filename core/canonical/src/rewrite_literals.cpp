// Literals by their value, where the spelling says nothing.
//
// What:
//   Numbers: the case of letters, `+` and zeros before an exponent. Spark: the zero before a point,
//     zeros before the number. DuckDB: `_` between the digits of a whole number.
//   Strings: DuckDB $$..$$, E'..' and strings that go on in the next line are '..'; Spark's
//   escapes,
//     "..", r'..' and neighbours are '..'.
//   Spark X'ab' is X'AB'. DuckDB DATE '..' is CAST('..' AS DATE).
//   Intervals of one whole number and one unit: days is day, '1' day is 1 day; Spark '1 day', too.
// Why sound: each engine's lexer makes the same value of them (Spark: AstBuilder,
// unescapeSQLString;
//   DuckDB: executed on 1.5.5 and 2.0.1 with types).
// When not: inside an expression that names a column on DuckDB; zeros that decide the scale or
// width
//   of a decimal (1.0, DuckDB 01, .5); E'' with escapes of numbers; a string that holds a value of
//   this run; strings that are names, files or parts of typed literals on Spark.
#include "form.hpp"

namespace hodor {
namespace {

constexpr std::size_t kLongestNumber = 64;  // longer ones stay as written

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_whole(std::string_view text) {
  if (text.empty() || text.size() > 9) return false;
  for (const char c : text) {
    if (!is_digit(c)) return false;
  }
  return text.size() == 1 || text[0] != '0';
}

void put_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

// Four hexadecimal digits that are a character by themselves and no half of one; 0 for others.
std::uint32_t unicode(std::string_view digits) {
  if (digits.size() < 4) return 0;
  std::uint32_t code = 0;
  for (const char c : digits.substr(0, 4)) {
    const char l = lower(c);
    if (!is_digit(l) && (l < 'a' || l > 'f')) return 0;
    code = code * 16 + static_cast<std::uint32_t>(is_digit(l) ? l - '0' : l - 'a' + 10);
  }
  return code >= 0xd800 && code < 0xe000 ? 0 : code;
}

// What stands behind a backslash for one character on Spark, and on DuckDB in E''. 0: another
// thing.
char escaped(char c, bool spark) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case '\\':
    case '\'':
      return c;
    case '"':
      return spark ? c : '\0';
    default:
      return '\0';
  }
}

}  // namespace

// False: it stays as written.
bool Form::number_literal(std::uint32_t token) {
  const std::string_view written = tree_.token_text(token);
  const bool spark = tree_.dialect == Dialect::databricks;
  if (written.size() > kLongestNumber || !(spark ? rewrites_parsed() : rewrites())) return false;
  bool is_plain = !(spark && written.size() > 1 && (written[0] == '0' || written[0] == '.'));
  bool is_digits = true;
  bool is_hex = false;
  for (const char c : written) {
    is_plain = is_plain && (is_digit(c) || c == '.');
    is_digits = is_digits && (is_digit(c) || c == '_');
    is_hex = is_hex || lower(c) == 'x' || lower(c) == 'o';
  }
  if (is_plain || is_hex) return false;
  char text[kLongestNumber + 1];
  std::size_t size = 0;
  std::size_t i = 0;
  if (spark) {
    while (i + 1 < written.size() && written[i] == '0' && is_digit(written[i + 1])) ++i;
    if (written[i] == '.') text[size++] = '0';
  }
  for (; i < written.size(); ++i) {
    const char c = lower(written[i]);
    if (c == '_' && !is_digits) return false;
    if (c == '_') continue;
    text[size++] = c;
    if (c != 'e') continue;
    const bool has_sign =
        i + 1 < written.size() && (written[i + 1] == '+' || written[i + 1] == '-');
    if (has_sign && written[i + 1] == '-') text[size++] = '-';
    if (has_sign) ++i;
    while (i + 2 < written.size() && written[i + 1] == '0' && is_digit(written[i + 2])) ++i;
  }
  preimage_.text(name_of(NodeKind::literal), {text, size});
  return true;
}

// A doubled quote in it is not understood: Spark had another reading of it before.
bool Form::decode_spark(std::string_view inside, char quote) {
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == quote) return false;
    if (inside[i] != '\\') {
      decoded_ += inside[i];
      continue;
    }
    if (++i == inside.size()) return false;
    const char c = inside[i];
    if (c == 'u') {
      const std::uint32_t code = unicode(inside.substr(i + 1));
      if (code == 0) return false;
      put_utf8(decoded_, code);
      i += 4;
    } else if (c == '%' || c == '_') {
      decoded_ += '\\';
      decoded_ += c;
    } else if (const char made = escaped(c, true); made != '\0') {
      decoded_ += made;
    } else {
      return false;  // octal, \Z and the like: rare, and not worth a mistake
    }
  }
  return true;
}

// Appends the value of a string. False: this kind is not understood.
bool Form::decode(std::uint32_t token) {
  const std::string_view text = tree_.token_text(token);
  const bool spark = tree_.dialect == Dialect::databricks;
  switch (tree_.tokens[token].kind) {
    case TokenKind::string: {
      const char quote = text[0];
      const std::string_view inside = text.substr(1, text.size() - 2);
      if (spark) return decode_spark(inside, quote);
      for (std::size_t i = 0; i < inside.size(); ++i) {
        decoded_ += inside[i];
        if (inside[i] == quote) ++i;
      }
      return quote == '\'';
    }
    case TokenKind::raw_string: {
      const bool is_simple = text.size() >= 3 && text.find(text[1], 2) == text.size() - 1;
      if (is_simple) decoded_ += text.substr(2, text.size() - 3);
      return is_simple;
    }
    case TokenKind::dollar_string: {
      const std::size_t tag = text.find('$', 1) + 1;
      if (tag == 0 || text.size() < 2 * tag) return false;
      decoded_ += text.substr(tag, text.size() - 2 * tag);
      return true;
    }
    case TokenKind::escape_string: {
      const std::string_view inside = text.substr(2, text.size() - 3);
      for (std::size_t i = 0; i < inside.size(); ++i) {
        char c = inside[i];
        if (c == '\'' && ++i == inside.size()) return false;
        if (c == '\\') {
          if (++i == inside.size()) return false;
          c = escaped(inside[i], false);
          if (c == '\0') return false;
        }
        decoded_ += c;
      }
      return true;
    }
    default:
      return false;
  }
}

// One value, of one string or of neighbours. False: it stays as written.
bool Form::string_literal(NodeId id) {
  const Node& node = tree_[id];
  const bool spark = tree_.dialect == Dialect::databricks;
  if (node.first_child != kNoNode || !(spark ? rewrites_parsed() : rewrites())) return false;
  const std::string_view text = tree_.token_text(node.begin);
  const bool is_single = node.end == node.begin + 1;
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    if (!is_string(tree_.tokens[i].kind) || tokens_.holds_run_value(i)) return false;
  }
  if (tree_.tokens[node.begin].kind == TokenKind::hex_string) {
    if (!spark || !is_single) return false;
    decoded_.clear();
    for (const char c : text) decoded_ += lower(c);
    preimage_.text("hex", decoded_);
    return true;
  }
  const std::string_view inside = text.substr(1, text.size() - 2);
  const bool is_plain =
      is_single && text[0] == '\'' && inside.find_first_of("'\\") == std::string_view::npos;
  if (is_plain) {
    preimage_.text("string", inside);
    return true;
  }
  decoded_.clear();
  for (std::uint32_t i = node.begin; i < node.end; ++i) {
    // Neighbours of other kinds join in ways of their own.
    if (!is_single && tree_.tokens[i].kind != TokenKind::string &&
        !(spark && tree_.tokens[i].kind == TokenKind::raw_string)) {
      return false;
    }
    // DuckDB joins over a line break, but over one in a block comment not in each version.
    const bool may_join =
        spark || i == node.begin ||
        (tree_.tokens[i].newline_before && !tree_.tokens[i].block_comment_before &&
         !tree_.tokens[i].odd_space_before);
    if (!may_join || !decode(i)) return false;
  }
  preimage_.text("string", decoded_);
  return true;
}

// DuckDB: a cast of the string, which it is to the parser.
bool Form::typed_literal(NodeId id) {
  const Node& node = tree_[id];
  const NodeId type_node = node.first_child;
  if (tree_.dialect != Dialect::duckdb || verbatim_ > 0 || is_matched() || type_node == kNoNode ||
      type_node != node.last_child || tree_[type_node].kind != NodeKind::type ||
      tree_[type_node].end + 1 != node.end || tokens_.holds_run_value(node.end - 1)) {
    return false;
  }
  const std::uint32_t token = node.end - 1;
  for (std::uint32_t i = node.begin; i < token; ++i) {
    if (is_symbol(tree_.tokens[i], tree_.sql, "[")) return false;  // DuckDB 1.5 takes no list here
  }
  const std::string_view text = tree_.token_text(token);
  const bool is_plain = tree_.tokens[token].kind == TokenKind::string && text[0] == '\'' &&
                        text.find('\'', 1) == text.size() - 1;
  if (!is_plain) return false;
  preimage_.begin_list("cast");
  preimage_.text(visible_ > 0 ? name_of(NodeKind::literal) : "string",
                 visible_ > 0 ? text : text.substr(1, text.size() - 2));
  type(type_node);
  preimage_.end_list();
  return true;
}

namespace {

constexpr std::string_view kUnits[] = {"year", "quarter", "month",  "week",        "day",
                                       "hour", "minute",  "second", "millisecond", "microsecond"};

std::string_view unit_of(std::string_view word) {
  for (const std::string_view unit : kUnits) {
    if (equals_ignoring_case(word, unit)) return unit;
    if (word.size() == unit.size() + 1 && lower(word.back()) == 's' &&
        equals_ignoring_case(word.substr(0, unit.size()), unit)) {
      return unit;
    }
  }
  return {};
}

}  // namespace

// A unit in the plural is one in the singular; one whole number is written in one way.
void Form::interval(NodeId id) {
  const Node& node = tree_[id];
  const NodeId value = node.first_child;
  const bool spark = tree_.dialect == Dialect::databricks;
  const bool is_single =
      value != kNoNode && value == node.last_child && verbatim_ == 0 && !is_matched() &&
      tree_[value].begin == node.begin + 1 && tree_[value].kind == NodeKind::literal &&
      tree_[value].end == tree_[value].begin + 1 && !tokens_.holds_run_value(tree_[value].begin);
  const std::uint32_t words = is_single ? node.end - tree_[value].end : 0;
  const Token& token = tree_.tokens[node.begin + 1];
  std::string_view number = token.text(tree_.sql);
  std::string_view unit;
  if (is_single && words == 1) unit = unit_of(tree_.token_text(node.end - 1));
  if (is_single && token.kind == TokenKind::string) number = number.substr(1, number.size() - 2);
  if (is_single && words == 0 && spark && token.kind == TokenKind::string) {
    const std::size_t space = number.find(' ');
    if (space != std::string_view::npos) unit = unit_of(number.substr(space + 1));
    number = number.substr(0, space);
  }
  const bool is_shown = visible_ > 0 && !spark;
  if (!unit.empty() && is_whole(number) && !(is_shown && token.kind == TokenKind::string)) {
    preimage_.begin_list(name_of(NodeKind::interval));
    preimage_.text("value", number);
    preimage_.text("unit", unit);
    preimage_.end_list();
    return;
  }
  // DuckDB: any value before one unit.
  const std::string_view last = unit_of(tree_.token_text(node.end - 1));
  if (spark || verbatim_ > 0 || is_matched() || value == kNoNode || value != node.last_child ||
      last.empty() || tree_[value].end + 1 != node.end) {
    plain(id);
    return;
  }
  preimage_.begin_list(name_of(NodeKind::interval));
  own_tokens(id, node.begin, tree_[value].begin);
  this->node(value);
  preimage_.text("unit", last);
  preimage_.end_list();
}

}  // namespace hodor
