// Compares a node's inputs with those that its record names, and sorts the differences by rule.
//
// In:  upstreams now, upstreams of the record.
// Out: the keys that differ, per way in which a difference counts.
// Never: drops a difference: a key that is new, vanished, unknown or of a doubtful kind is in a
// list.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "hodor/decision/decide.hpp"

namespace hodor {

// Keys, in no particular order and possibly repeated.
using Keys = std::vector<std::string>;

struct InputDifferences {
  Keys unknown;                // rule 11: no version now
  Keys definitions;            // rule 12: other, new, vanished or unrecorded definitions
  Keys parent_code;            // rule 12 when data changed: other, unknown or unrecorded marks
  Keys data;                   // rule 13
  Keys volatile_values;        // rule 15
  bool vanished_data = false;  // a recorded input is no longer read
  bool every_group_changed = false;  // each direct input with versioned data, if any, has one
};

// What a node that stores data must know about its inputs.
InputDifferences compare_inputs(const NodeState& node, const BuildRecord& last);

struct ViewDifferences {
  Keys definitions;  // functions
  Keys columns;      // rule 9b
};

// What a view must know: only what can change its columns or its meaning, not its data.
ViewDifferences compare_view_inputs(const NodeState& node, const BuildRecord& last);

}  // namespace hodor
