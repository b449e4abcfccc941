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

}  // namespace hodor::python
