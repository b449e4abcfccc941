// Writes the one text by which a relation is known in records and catalogs.
#include "names.hpp"

namespace hodor {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool needs_quotes(std::string_view part) {
  bool special = part.empty();
  for (const char c : part) special |= c == '.' || c == ':' || c == '"';
  return special;
}

}  // namespace

void append_lower(std::string& out, std::string_view text) {
  const std::size_t start = out.size();
  out.append(text);
  for (std::size_t i = start; i < out.size(); ++i) out[i] = lower(out[i]);
}

void append_key_part(std::string& out, std::string_view part) {
  if (!needs_quotes(part)) {
    append_lower(out, part);
    return;
  }
  out.push_back('"');
  for (const char c : part) {
    if (c == '"') out.push_back('"');
    out.push_back(lower(c));
  }
  out.push_back('"');
}

bool equals_lower(std::string_view text, std::string_view lower_text) {
  if (text.size() != lower_text.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_text[i]) return false;
  }
  return true;
}

std::string relation_key(const std::vector<std::string>& parts) {
  std::string key;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) key.push_back('.');
    append_key_part(key, parts[i]);
  }
  return key;
}

}  // namespace hodor
