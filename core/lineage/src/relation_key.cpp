// Writes the one text by which a relation is known in records and catalogs.
#include "names.hpp"

namespace hodor {

void append_lower(std::string& out, std::string_view text) {
  for (const char c : text) {
    out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
}

void append_key_part(std::string& out, std::string_view part) {
  if (!part.empty() && part.find_first_of(".:\"") == std::string_view::npos) {
    append_lower(out, part);
    return;
  }
  out.push_back('"');
  for (const char c : part) {
    if (c == '"') out.push_back('"');
    append_lower(out, std::string_view(&c, 1));
  }
  out.push_back('"');
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
