// One name for the names that an engine's own grammar or catalog takes for one type.
#pragma once
#include <string_view>

#include "hodor/syntax/dialect.hpp"

namespace hodor {

// `written`: one unquoted word without parameters. Empty for a name that is not listed.
std::string_view decimal_name(std::string_view written);
std::string_view type_name(std::string_view written, Dialect dialect);

}  // namespace hodor
