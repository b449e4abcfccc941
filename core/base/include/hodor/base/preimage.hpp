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
#include <cstdint>
#include <cstring>
#include <memory>
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
  void append(const Preimage& fields) { put(fields.bytes()); }
  void clear() { used_ = 0; }
  std::size_t size() const { return used_; }
  // Takes back what came behind a size.
  void cut(std::size_t size) { used_ = size; }
  // The bytes [begin, middle) and [after, size()) change places where the second are less; what is
  // between stays between.
  void order(std::size_t begin, std::size_t middle, std::size_t after);
  void reserve(std::size_t bytes) { grow(bytes); }

  // Input of SHA-256. Valid until the next field.
  std::string_view bytes() const& { return {storage_.get(), used_}; }
  std::string bytes() && { return {storage_.get(), used_}; }
  // One line a field: indentation, kind, tag, " = " and the value with control characters escaped.
  std::string dump() const { return dump(bytes()); }
  // The same for stored bytes; ends with a line "malformed at byte N" when they break the grammar.
  static std::string dump(std::string_view bytes);

 private:
  static constexpr std::size_t kSizeBytes = 10;  // at most, of a LEB128 of 64 bits

  void grow(std::size_t more) {
    if (capacity_ - used_ < more) move_to(used_ + more + capacity_);
  }
  void move_to(std::size_t capacity);
  // Appends where `grow` made room.
  void put_byte(char byte) { storage_[used_++] = byte; }
  void put_size(std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) put_byte(static_cast<char>(0x80 | (n & 0x7f)));
    put_byte(static_cast<char>(n));
  }
  void put_text(std::string_view text) {
    copy(storage_.get() + used_, text.data(), text.size());
    used_ += text.size();
  }
  // Most texts are words: two copies of a fixed size that overlap cost less than a call.
  static void copy(char* to, const char* from, std::size_t size) {
    if (size > 16) {
      std::memcpy(to, from, size);
    } else if (size >= 8) {
      std::memcpy(to, from, 8);
      std::memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
      std::memcpy(to, from, 4);
      std::memcpy(to + size - 4, from + size - 4, 4);
    } else {
      for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
    }
  }
  void put(std::string_view text) {
    grow(text.size());
    put_text(text);
  }
  void head(std::string_view tag, char kind) {
    grow(kSizeBytes + tag.size() + 1);
    put_size(tag.size());
    put_text(tag);
    put_byte(kind);
  }
  void field(std::string_view tag, char kind, std::string_view value) {
    grow(2 * kSizeBytes + tag.size() + value.size() + 1);
    put_size(tag.size());
    put_text(tag);
    put_byte(kind);
    put_size(value.size());
    put_text(value);
  }

  std::unique_ptr<char[]> storage_;  // not initialised behind `used_`
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace hodor
