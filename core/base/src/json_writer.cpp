#include <charconv>

#include "hodor/base/json.hpp"
#include "hodor/base/utf8.hpp"

namespace hodor::json {
namespace {

void append_escape(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out.append("\\\"");
      break;
    case '\\':
      out.append("\\\\");
      break;
    case '\n':
      out.append("\\n");
      break;
    case '\r':
      out.append("\\r");
      break;
    case '\t':
      out.append("\\t");
      break;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out.append("\\u00").push_back(kDigits[byte >> 4]);
      out.push_back(kDigits[byte & 15]);
    }
  }
}

}  // namespace

void Writer::text(std::string_view value) {
  separate();
  if (!is_valid_utf8(value)) invalid_ = true;
  out_.push_back('"');
  std::size_t plain_from = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20) continue;
    out_.append(value.substr(plain_from, i - plain_from));
    append_escape(out_, c);
    plain_from = i + 1;
  }
  out_.append(value.substr(plain_from));
  out_.push_back('"');
}

void Writer::integer(std::int64_t value) {
  separate();
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value);
  out_.append(digits, end.ptr);
}

void Writer::boolean(bool value) {
  separate();
  out_.append(value ? "true" : "false");
}

void Writer::null() {
  separate();
  out_.append("null");
}

Result<std::string> Writer::finish() && {
  if (invalid_) return Error{"a text is not UTF-8"};
  return std::move(out_);
}

}  // namespace hodor::json
