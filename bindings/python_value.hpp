// Python values → the core's Value tree.
//
// In:  None, bool, int, float, str, bytes, date, datetime, list, tuple, dict and their subclasses.
// Out: a tree; a tuple is a list.
// Never: calls `str()` on something unknown: TypeError. Beyond a limit: ValueError.
#pragma once
#include <nanobind/nanobind.h>

#include "hodor/base/value.hpp"

namespace hodor::python {

Value to_value(nanobind::handle object);

// The same; what is not exactly of a built-in kind (a subclass, an enum, a dict with other keys
// than texts) is first given to `to_plain`.
Value to_value(nanobind::handle object, nanobind::handle to_plain);

}  // namespace hodor::python
