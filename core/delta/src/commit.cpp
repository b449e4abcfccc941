// Proves that a commit changed nothing, or does not. The rules stand in the header.
#include "hodor/delta/commit.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "hodor/base/json.hpp"

namespace hodor::delta {
namespace {

constexpr std::string_view kHarmless[] = {
#define HARMLESS(name) name,
#include "hodor/delta/harmless_operations.inc"
#undef HARMLESS
};

// A row operation, and the metrics that count the rows it touched.
struct RowOperation {
  std::string_view name;
  std::array<std::string_view, 3> metrics;
};
constexpr RowOperation kRowOperations[] = {
    {"WRITE", {"numOutputRows", "", ""}},
    {"MERGE", {"numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted"}},
    {"UPDATE", {"numUpdatedRows", "", ""}},
    // Deleting whole files may count no rows.
    {"DELETE", {"numDeletedRows", "numRemovedFiles", ""}},
    {"STREAMING UPDATE", {"numOutputRows", "numAddedFiles", "numRemovedFiles"}},
};

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool asks_for_nothing(std::string_view value) {
  return value.empty() || value == "false" || value == "[]" || value == "{}";
}

// A write that may do more than add rows: it replaces some, or changes the columns.
bool may_do_more(std::string_view operation, const Fields& parameters) {
  for (const auto& [name, value] : parameters.all()) {
    const bool suspect = contains(name, "schema") || contains(name, "replace") ||
                         contains(name, "overwrite") ||
                         (operation == "WRITE" && name == "predicate");
    if (suspect && !asks_for_nothing(value)) return true;
  }
  if (operation != "WRITE") return false;
  const std::string* mode = parameters.find("mode");
  return mode == nullptr || *mode != "Append";
}

bool all_zero(std::span<const std::string_view> names, const Fields& metrics) {
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    const std::string* value = metrics.find(name);
    if (value == nullptr || *value != "0") return false;
  }
  return true;
}

}  // namespace

bool Fields::add(const Value& name, const Value& value) {
  const auto* key = name.as<std::string>();
  if (key == nullptr || find(*key) != nullptr) return false;
  if (value.is_null()) return true;
  if (const auto* text = value.as<std::string>()) {
    fields_.emplace_back(*key, *text);
  } else if (const auto* integer = value.as<std::int64_t>()) {
    fields_.emplace_back(*key, std::to_string(*integer));
  } else if (const auto* boolean = value.as<bool>()) {
    fields_.emplace_back(*key, *boolean ? "true" : "false");
  } else {
    return false;
  }
  return true;
}

Fields Fields::of(const Value& value, bool may_be_text) {
  Fields fields;
  bool good = true;
  if (const auto* map = value.as<ValueMap>()) {
    for (const MapEntry& entry : *map) good = good && fields.add(entry.key, entry.value);
  } else if (const auto* list = value.as<ValueList>()) {
    for (const Value& item : *list) {
      if (const auto* pair = item.as<ValueList>(); pair != nullptr && pair->size() == 2) {
        good = good && fields.add((*pair)[0], (*pair)[1]);
      } else {
        const Value* name = json::find(item, "key");
        const Value* text = json::find(item, "value");
        good = good && name != nullptr && text != nullptr && fields.add(*name, *text);
      }
    }
  } else if (const auto* text = value.as<std::string>(); text != nullptr && may_be_text) {
    Result<Value> parsed = json::parse(*text);
    return parsed.ok() ? of(parsed.value(), false) : Fields();
  } else {
    good = false;
  }
  if (!good) return {};
  fields.readable_ = true;
  return fields;
}

Fields Fields::read(const Value& value) { return of(value, true); }

const std::string* Fields::find(std::string_view name) const {
  for (const auto& [known, value] : fields_) {
    if (known == name) return &value;
  }
  return nullptr;
}

bool is_maintenance(std::string_view operation) {
  return std::find(std::begin(kHarmless), std::end(kHarmless), operation) != std::end(kHarmless);
}

Effect effect_of(const HistoryRow& row) {
  if (!row.operation) return Effect::data;
  const std::string_view operation = *row.operation;
  if (is_maintenance(operation)) return Effect::none;
  if (operation == "CHANGE COLUMN" || operation == "CHANGE COLUMNS") return Effect::schema;
  for (const RowOperation& known : kRowOperations) {
    if (known.name != operation) continue;
    const Fields parameters = Fields::read(row.parameters);
    const Fields metrics = Fields::read(row.metrics);
    if (!parameters.readable() || !metrics.readable()) return Effect::data;
    if (may_do_more(operation, parameters)) return Effect::data;
    return all_zero(known.metrics, metrics) ? Effect::none : Effect::data;
  }
  return Effect::data;
}

}  // namespace hodor::delta
