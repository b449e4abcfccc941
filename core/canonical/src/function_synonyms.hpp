// Functions that have more than one name.
//
// In:  a builtin function's name in lower case, the number of its arguments, the dialect.
// Out: the one name that all of its names share.
// Never: for a name that is a function of its own in some version of the engine.
#pragma once
#include <cstdint>
#include <string_view>

#include "hodor/syntax/dialect.hpp"

namespace hodor {

std::string_view function_name(std::string_view name, std::uint32_t arguments, Dialect dialect);

// The argument that the engine takes when it is the last and missing: a number, or a string with
// is_string. Empty: there is none.
struct DefaultArgument {
  std::string_view text;
  bool is_string = false;
};
DefaultArgument default_argument(std::string_view name, std::uint32_t arguments, Dialect dialect);

}  // namespace hodor
