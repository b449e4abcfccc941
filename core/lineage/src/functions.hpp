// Knows which functions are the user's and which are the engine's.
//
// In:  names of both, with the facts of user functions' bodies.
// Out: for a called name, every user function that the call may mean, else whether it is built in.
// Never: takes a qualified name for a built-in function; user functions come first, they hide
// others.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace hodor {

struct UserFunction {
  std::string name;  // lower case
  // One per overload; facts are empty where the body was not understood.
  std::vector<std::pair<std::string, std::optional<Facts>>> definitions;
  std::string definition_hash() const;  // all definitions' hashes, sorted, joined by '+'
};

class Functions {
 public:
  void put(std::string_view name, std::string definition_hash, std::optional<Facts> facts);
  void clear_user();
  void set_builtin(const std::vector<std::string>& names);

  // Every user function with the same last part: which one is visible depends on the search path.
  // Null when there is none.
  const std::vector<UserFunction>* find_user(std::string_view called) const;
  bool is_builtin(std::string_view called) const;
  // User functions that every text may call without naming them: operators and special syntax look
  // functions up by name ("+", date_part for extract, list_value for [1, 2]), and a user's function
  // of that name wins [measured]. Which syntax calls what is the engine's matter, so each user
  // function that has the name of a built-in one, or no word as its name, is here.
  const std::vector<std::string>& implicit() const { return implicit_; }

 private:
  void collect_implicit();

  ByText<std::vector<UserFunction>> user_;  // by last part
  Texts builtin_;
  std::vector<std::string> implicit_;  // last parts, sorted
};

}  // namespace hodor
