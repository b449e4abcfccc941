// What one commit of a Delta table did to the table's rows: proven nothing, or a change.
//
// In:  a row of DESCRIBE HISTORY: operation, its parameters and metrics as the connection gave
// them. Out: an Effect. Never: `none` without proof. An unknown operation, a missing or unreadable
// metric, a null: `data`.
//
// Zero in all metrics is no proof by itself: RESTORE and CLONE that only add files, FSCK, an
// emptying overwrite by a writer that counts no removed files all show zeros. So a commit is
// harmless only by its name, or when it is one of five row operations whose own row metrics are all
// there and zero.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hodor/base/value.hpp"

namespace hodor::delta {

enum class Effect {
  none,    // rows and columns are what they were
  schema,  // the rows are; whether the columns are is for the schema part of a version to say
  data,    // rows changed, or nothing proves that they did not
};

// One row of the history. An absent part was null or of a type that is none of its own.
struct HistoryRow {
  std::optional<std::int64_t> version;
  std::optional<std::int64_t> time_ms;
  std::optional<std::string> operation;
  Value parameters;
  Value metrics;
};

// Texts by name. Connections give a map as a map, as a list of pairs, as a list of {key, value} or
// as the JSON text of one of these; no fields when it is none of them or names one twice.
class Fields {
 public:
  static Fields read(const Value& value);
  bool readable() const { return readable_; }
  // Null when there is none of that name or its value is null.
  const std::string* find(std::string_view name) const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return fields_; }

 private:
  static Fields of(const Value& value, bool may_be_text);
  bool add(const Value& name, const Value& value);

  std::vector<std::pair<std::string, std::string>> fields_;
  bool readable_ = false;
};

Effect effect_of(const HistoryRow& row);

// Whether the name is one of the closed list: such a commit is nobody's write.
bool is_maintenance(std::string_view operation);

}  // namespace hodor::delta
