#include <algorithm>
#include <charconv>
#include <optional>

#include "hodor/base/json.hpp"
#include "hodor/base/limits.hpp"
#include "hodor/base/utf8.hpp"

namespace hodor::json {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The digits after \u as Writer puts them: a control character without a letter of its own.
bool is_writers_escape(std::string_view digits) {
  if (digits.size() != 4 || digits.substr(0, 2) != "00") return false;
  if (digits[2] != '0' && digits[2] != '1') return false;
  if (!is_digit(digits[3]) && (digits[3] < 'a' || digits[3] > 'f')) return false;
  return digits != "0009" && digits != "000a" && digits != "000d";
}

bool has_duplicate_key(const ValueMap& map) {
  const auto key_of = [&map](std::size_t i) -> const std::string& {
    return *map[i].key.as<std::string>();
  };
  constexpr std::size_t kPairwise = 16;  // below this, comparing all pairs is faster than sorting
  if (map.size() <= kPairwise) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      for (std::size_t j = i + 1; j < map.size(); ++j) {
        if (key_of(i) == key_of(j)) return true;
      }
    }
    return false;
  }
  std::vector<std::string_view> keys;
  keys.reserve(map.size());
  for (std::size_t i = 0; i < map.size(); ++i) keys.push_back(key_of(i));
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

constexpr std::size_t kFirstCapacity = 4;  // most lists and objects of records are short

// Each method reads one piece at `at_` and returns false with `problem_` set when it is not there.
class Reader {
 public:
  Reader(std::string_view text, Form form) : text_(text), form_(form) {}

  Result<Value> run() {
    Value value;
    if (text_.size() > limits::kJsonBytes) return Error{"JSON text is too long"};
    if (!is_valid_utf8(text_)) return Error{"JSON text is not UTF-8"};
    if (!read_value(value, 0)) return failure();
    skip_space();
    if (at_ != text_.size()) {
      fail("something follows the value");
      return failure();
    }
    return value;
  }

 private:
  Error failure() const {
    return Error{std::string("malformed JSON at byte ") + std::to_string(at_) + ": " + problem_};
  }
  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_space() {
    if (form_ == Form::compact) return;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }
  bool read_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return fail("unknown word");
    at_ += word.size();
    return true;
  }

  bool read_value(Value& out, std::size_t depth) {
    if (++values_ > limits::kJsonValues) return fail("too many values");
    skip_space();
    switch (peek()) {
      case '{':
        return read_object(out.content.emplace<ValueMap>(), depth + 1);
      case '[':
        return read_array(out.content.emplace<ValueList>(), depth + 1);
      case '"':
        return read_text(out.content.emplace<std::string>());
      case 't':
        out.content = true;
        return read_word("true");
      case 'f':
        out.content = false;
        return read_word("false");
      case 'n':
        return read_word("null");
      default:
        return read_number(out);
    }
  }

  bool read_object(ValueMap& map, std::size_t depth) {
    if (depth > limits::kJsonDepth) return fail("nested too deeply");
    ++at_;
    skip_space();
    if (accept('}')) return true;
    map.reserve(kFirstCapacity);
    do {
      skip_space();
      if (peek() != '"') return fail("a key was expected");
      MapEntry& entry = map.emplace_back();
      if (!read_text(entry.key.content.emplace<std::string>())) return false;
      skip_space();
      if (!accept(':')) return fail("':' was expected");
      if (!read_value(entry.value, depth)) return false;
      skip_space();
    } while (accept(','));
    if (!accept('}')) return fail("',' or '}' was expected");
    return !has_duplicate_key(map) || fail("an object has a key twice");
  }

  bool read_array(ValueList& list, std::size_t depth) {
    if (depth > limits::kJsonDepth) return fail("nested too deeply");
    ++at_;
    skip_space();
    if (accept(']')) return true;
    list.reserve(kFirstCapacity);
    do {
      if (!read_value(list.emplace_back(), depth)) return false;
      skip_space();
    } while (accept(','));
    return accept(']') || fail("',' or ']' was expected");
  }

  bool read_text(std::string& out) {
    ++at_;
    std::size_t plain_from = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        out.append(text_.substr(plain_from, at_ - plain_from));
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a text");
      if (c == '\\') {
        out.append(text_.substr(plain_from, at_ - plain_from));
        ++at_;
        if (!read_escape(out)) return false;
        plain_from = at_;
      } else {
        ++at_;
      }
    }
    return fail("a text does not end");
  }

  bool read_escape(std::string& out) {
    static constexpr std::string_view kLetters = "\"\\nrt/bf";
    static constexpr std::string_view kMeanings = "\"\\\n\r\t/\b\f";
    const std::size_t known = form_ == Form::compact ? 5 : kLetters.size();
    const std::size_t letter = kLetters.substr(0, known).find(peek());
    if (at_ < text_.size() && letter != std::string_view::npos) {
      out.push_back(kMeanings[letter]);
      ++at_;
      return true;
    }
    if (!accept('u')) return fail("unknown escape");
    if (form_ == Form::compact && !is_writers_escape(text_.substr(at_, 4))) {
      return fail("an escape that is not needed");
    }
    std::optional<std::uint32_t> code = read_hex4();
    if (!code) return fail("four hex digits were expected");
    if (*code >= 0xd800 && *code <= 0xdbff) {
      const bool paired = accept('\\') && accept('u');
      const std::optional<std::uint32_t> low = paired ? read_hex4() : std::nullopt;
      if (!low || *low < 0xdc00 || *low > 0xdfff) return fail("a lone surrogate");
      code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
    } else if (*code >= 0xdc00 && *code <= 0xdfff) {
      return fail("a lone surrogate");
    }
    append_utf8(out, *code);
    return true;
  }

  std::optional<std::uint32_t> read_hex4() {
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = hex_digit(peek());
      if (digit < 0) return std::nullopt;
      code = code << 4 | static_cast<std::uint32_t>(digit);
      ++at_;
    }
    return code;
  }

  bool skip_digits() {
    if (!is_digit(peek())) return fail("a value was expected");
    while (is_digit(peek())) ++at_;
    return true;
  }

  bool read_number(Value& out) {
    const std::size_t from = at_;
    bool is_integer = true;
    accept('-');
    const bool leading_zero = peek() == '0';
    const std::size_t digits_from = at_;
    if (!skip_digits()) return false;
    if (leading_zero && at_ - digits_from > 1) return fail("a number starts with 0");
    if (accept('.')) {
      is_integer = false;
      if (!skip_digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      is_integer = false;
      if (!accept('+')) accept('-');
      if (!skip_digits()) return false;
    }
    const std::string_view number = text_.substr(from, at_ - from);
    std::int64_t integer = 0;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), integer);
    if (is_integer && number != "-0" && end.ec == std::errc()) {
      out.content = integer;
    } else {
      out.content = Decimal{std::string(number)};
    }
    return true;
  }

  std::string_view text_;
  Form form_;
  std::size_t at_ = 0;
  std::size_t values_ = 0;
  const char* problem_ = "";
};

}  // namespace

Result<Value> parse(std::string_view text, Form form) { return Reader(text, form).run(); }

const Value* find(const Value& object, std::string_view key) {
  const ValueMap* map = object.as<ValueMap>();
  if (map == nullptr) return nullptr;
  for (const MapEntry& entry : *map) {
    const std::string* name = entry.key.as<std::string>();
    if (name != nullptr && *name == key) return &entry.value;
  }
  return nullptr;
}

}  // namespace hodor::json
