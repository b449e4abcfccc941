// See functions.hpp.
#include "functions.hpp"

#include <algorithm>
#include <array>

namespace hodor {
namespace {

std::string lower(std::string_view text) {
  std::string out;
  append_lower(out, text);
  return out;
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

// They read the engine's state or a relation that only their arguments name.
bool is_never_certain(std::string_view name) {
  for (const std::string_view prefix : {"duckdb_", "pragma_"}) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return name == "query" || name == "query_table";
}

// The grammar's own functions, which no engine lists; they depend on their arguments only.
constexpr std::array<std::string_view, 11> kGrammarFunctions = {
    "cast",        "coalesce", "columns", "exists",   "extract", "grouping",
    "grouping_id", "ifnull",   "try",     "try_cast", "unpack"};

bool is_word(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string UserFunction::definition_hash() const {
  std::vector<std::string> hashes;
  for (const auto& [hash, facts] : definitions) hashes.push_back(hash);
  std::sort(hashes.begin(), hashes.end());
  std::string joined;
  for (const std::string& hash : hashes) {
    if (!joined.empty()) joined.push_back('+');
    joined.append(hash);
  }
  return joined;
}

void Functions::put(std::string_view name, std::string definition_hash,
                    std::optional<Facts> facts) {
  const std::string key = lower(name);
  std::vector<UserFunction>& same_last_part = user_[std::string(last_part(key))];
  auto function = std::find_if(same_last_part.begin(), same_last_part.end(),
                               [&key](const UserFunction& other) { return other.name == key; });
  if (function == same_last_part.end()) {
    same_last_part.push_back(UserFunction{key, {}});
    function = std::prev(same_last_part.end());
  }
  for (auto& [hash, known_facts] : function->definitions) {
    if (hash != definition_hash) continue;
    known_facts = std::move(facts);
    return;
  }
  function->definitions.emplace_back(std::move(definition_hash), std::move(facts));
  collect_implicit();
}

void Functions::clear_user() {
  user_.clear();
  implicit_.clear();
}

void Functions::collect_implicit() {
  implicit_.clear();
  for (const auto& [name, functions] : user_) {
    if (!is_word(name) || builtin_.contains(name)) implicit_.push_back(name);
  }
  std::sort(implicit_.begin(), implicit_.end());
}

void Functions::set_builtin(const std::vector<std::string>& names) {
  builtin_.clear();
  for (const std::string& name : names) builtin_.insert(lower(name));
  for (const std::string_view name : kGrammarFunctions) builtin_.emplace(name);
  collect_implicit();
}

const std::vector<UserFunction>* Functions::find_user(std::string_view called) const {
  if (user_.empty()) return nullptr;
  const auto it = user_.find(last_part(called));
  return it == user_.end() ? nullptr : &it->second;
}

bool Functions::is_builtin(std::string_view called) const {
  if (called.find('.') != std::string_view::npos || is_never_certain(called)) return false;
  return builtin_.find(called) != builtin_.end();
}

}  // namespace hodor
