#include "hodor/base/preimage.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace hodor {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

// In a tag '=' is escaped too, so that a line has one reading.
void append_escaped(std::string& out, std::string_view value, bool is_tag) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out.append("\\\\");
    } else if (c == '\n') {
      out.append("\\n");
    } else if (byte < 0x20 || byte == 0x7f || (is_tag && c == '=')) {
      out.append("\\x").push_back(kHexDigits[byte >> 4]);
      out.push_back(kHexDigits[byte & 15]);
    } else {
      out.push_back(c);
    }
  }
}

void append_hex(std::string& out, std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(kHexDigits[byte >> 4]);
    out.push_back(kHexDigits[byte & 15]);
  }
}

// Walks the grammar of the header. Every read is checked against the end.
class Dumper {
 public:
  explicit Dumper(std::string_view bytes) : bytes_(bytes) {}

  std::string run() {
    while (at_ < bytes_.size()) {
      const std::size_t start = at_;
      if (!field()) {
        out_.append("malformed at byte ").append(std::to_string(start)).append("\n");
        break;
      }
    }
    return std::move(out_);
  }

 private:
  bool field() {
    std::string_view tag;
    if (!chunk(tag) || at_ >= bytes_.size()) return false;
    const char kind = bytes_[at_++];
    if (kind == ']' || kind == '}' || kind == ')') {
      if (depth_ == 0) return false;
      --depth_;
    }
    std::string_view value;
    const bool has_payload = std::string_view("tirxds").find(kind) != std::string_view::npos;
    if (has_payload && !chunk(value)) return false;
    if (!has_payload && std::string_view("TFn[]{}()").find(kind) == std::string_view::npos)
      return false;
    line(tag, kind, has_payload, value);
    if (kind == '[' || kind == '{' || kind == '(') ++depth_;
    return true;
  }

  bool chunk(std::string_view& chunk) {
    std::uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      if (at_ >= bytes_.size() || shift > 56) return false;
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      size |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (size > bytes_.size() - at_) return false;
    chunk = bytes_.substr(at_, static_cast<std::size_t>(size));
    at_ += chunk.size();
    return true;
  }

  void line(std::string_view tag, char kind, bool has_payload, std::string_view value) {
    out_.append(2 * depth_, ' ').push_back(kind);
    if (!tag.empty()) out_.push_back(' ');
    append_escaped(out_, tag, true);
    if (has_payload) out_.append(" = ");
    if (kind == 'x' || kind == 'r') {
      append_hex(out_, value);
    } else {
      append_escaped(out_, value, false);
    }
    out_.push_back('\n');
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::string out_;
};

}  // namespace

void Preimage::move_to(std::size_t capacity) {
  auto storage = std::make_unique_for_overwrite<char[]>(capacity);
  if (used_ > 0) std::memcpy(storage.get(), storage_.get(), used_);
  storage_ = std::move(storage);
  capacity_ = capacity;
}

void Preimage::order(std::size_t begin, std::size_t middle, std::size_t after) {
  const std::string_view all(storage_.get(), used_);
  const std::string_view first = all.substr(begin, middle - begin);
  const std::string_view second = all.substr(after);
  if (first <= second) return;
  const std::string between(all.substr(middle, after - middle));
  const std::string lesser(second);
  const std::string greater(first);
  used_ = begin;
  for (const std::string_view part :
       {std::string_view(lesser), std::string_view(between), std::string_view(greater)}) {
    put_text(part);
  }
}

void Preimage::integer(std::string_view tag, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  field(tag, 'i', {digits, static_cast<std::size_t>(end.ptr - digits)});
}

void Preimage::real(std::string_view tag, double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<std::uint64_t>(value);
  char raw[8];
  for (int i = 0; i < 8; ++i) raw[i] = static_cast<char>(bits >> (56 - 8 * i));
  field(tag, 'r', {raw, sizeof raw});
}

std::string Preimage::dump(std::string_view bytes) { return Dumper(bytes).run(); }

}  // namespace hodor
