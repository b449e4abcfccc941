// Collects the exact bytes that get hashed. Two different sequences of calls never give equal
// bytes.
//
// In:  tagged fields, lists and maps, in the order that the caller fixes.
// Out: bytes for SHA-256, and a text of one field a line for people and for `diff`.
// Never: joins with separators. A separator can occur in SQL, a length cannot be forged.
//
// Grammar:
//   preimage ::= field*
//   field    ::= size tag kind payload?
//   kind     ::= 't' text | 'i' integer in decimal | 'r' real | 'x' bytes | 'd' date | 's' date and
//   time
//                (payload: size bytes) | 'T' true | 'F' false | 'n' null
//              | '[' list | ']' its end | '{' map, the keys are tags | '}' its end
//              | '(' map, fields in pairs of key and value | ')' its end   (no payload)
//   size     ::= LEB128: 7 bits a byte, low bits first, high bit set on all but the last byte
// `dump` reads this grammar back, which is the proof that it has one reading only.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace hodor {

class Preimage {
 public:
  void text(std::string_view tag, std::string_view value) { field(tag, 't', value); }
  void integer(std::string_view tag, std::int64_t value);
  // An integer beyond 64 bits: canonical decimal digits ('-' first when negative).
  void big_integer(std::string_view tag, std::string_view digits) { field(tag, 'i', digits); }
  // Every NaN is one value; 0.0 and -0.0 are two.
  void real(std::string_view tag, double value);
  void blob(std::string_view tag, std::string_view value) { field(tag, 'x', value); }
  void date(std::string_view tag, std::string_view iso) { field(tag, 'd', iso); }
  void datetime(std::string_view tag, std::string_view iso) { field(tag, 's', iso); }
  void boolean(std::string_view tag, bool value) { head(tag, value ? 'T' : 'F'); }
  void null(std::string_view tag) { head(tag, 'n'); }
  void begin_list(std::string_view tag) { head(tag, '['); }
  void end_list() { head("", ']'); }
  void begin_map(std::string_view tag) { head(tag, '{'); }
  void end_map() { head("", '}'); }
  void begin_pairs(std::string_view tag) { head(tag, '('); }
  void end_pairs() { head("", ')'); }
  // Appends fields that another Preimage collected.
  void append(const Preimage& fields) { bytes_.append(fields.bytes_); }
  void clear() { bytes_.clear(); }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }

  const std::string& bytes() const { return bytes_; }  // input of SHA-256
  // One line a field: indentation, kind, tag, " = " and the value with control characters escaped.
  std::string dump() const { return dump(bytes_); }
  // The same for stored bytes; ends with a line "malformed at byte N" when they break the grammar.
  static std::string dump(std::string_view bytes);

 private:
  static constexpr std::size_t kShort = 0x80;  // sizes below are one byte
  void size(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) bytes_.push_back(static_cast<char>(0x80 | (n & 0x7f)));
    bytes_.push_back(static_cast<char>(n));
  }
  void head(std::string_view tag, char kind) {
    if (tag.size() >= kShort) {
      size(tag.size());
      bytes_.append(tag).push_back(kind);
      return;
    }
    char bytes[kShort + 2];
    bytes[0] = static_cast<char>(tag.size());
    std::memcpy(bytes + 1, tag.data(), tag.size());
    bytes[tag.size() + 1] = kind;
    bytes_.append(bytes, tag.size() + 2);
  }
  // Nearly all fields are short: those are put together first and appended at once.
  void field(std::string_view tag, char kind, std::string_view value) {
    if (tag.size() >= kShort || value.size() >= kShort) {
      head(tag, kind);
      size(value.size());
      bytes_.append(value);
      return;
    }
    char bytes[2 * kShort + 3];
    char* at = bytes;
    *at++ = static_cast<char>(tag.size());
    at = std::copy(tag.begin(), tag.end(), at);
    *at++ = kind;
    *at++ = static_cast<char>(value.size());
    at = std::copy(value.begin(), value.end(), at);
    bytes_.append(bytes, static_cast<std::size_t>(at - bytes));
  }
  std::string bytes_;
};

}  // namespace hodor
