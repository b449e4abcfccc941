// Digests of plain value trees: configs, macro texts, settings.
//
// In:  a label that names what is hashed, and a value.
// Out: one digest of the whole, or one per top-level key, or the pre-image as text to compare.
// Never: equal for values that differ in type or content. The order of a map's keys does not count;
// the order of a list does.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hodor/base/preimage.hpp"
#include "hodor/base/result.hpp"
#include "hodor/base/value.hpp"

namespace hodor {

// An error beyond the limits of limits.hpp, for a key that is no scalar or a key given twice.
Result<std::string> value_digest(std::string_view label, const Value& value);

using KeyDigests = std::vector<std::pair<std::string, std::string>>;  // key, digest; sorted by key
// `value` is a map whose keys are texts.
Result<KeyDigests> value_digest_parts(std::string_view label, const Value& value);

Result<std::string> dump_value(std::string_view label, const Value& value);

}  // namespace hodor
