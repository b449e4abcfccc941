// Reads, writes and compares version tokens. The grammar stands in the header.
#include "hodor/decision/data_version.hpp"

#include "hodor/delta/position.hpp"

namespace hodor {
namespace {

constexpr char kSeparator = ';';
constexpr std::string_view kGrammarVersion = "1;";

// A part that a side does not have proves nothing; an unknown version has none.
Comparison compare_proof(const std::string& now, const std::string& then) {
  if (now.empty() || then.empty()) return Comparison::unknown;
  return now == then ? Comparison::same : Comparison::changed;
}

// Two positions have a proof of their own; a position and anything else are different things.
Comparison compare_data(const std::string& now, const std::string& then) {
  if (!delta::is_position(now) || !delta::is_position(then)) return compare_proof(now, then);
  const auto position = delta::parse_position(now);
  const auto recorded = delta::parse_position(then);
  if (!position || !recorded) return Comparison::unknown;
  switch (delta::compare(*position, *recorded)) {
    case delta::Standing::same:
      return Comparison::same;
    case delta::Standing::changed:
      return Comparison::changed;
    case delta::Standing::unknown:
      return Comparison::unknown;
  }
  return Comparison::unknown;
}

std::string token_of(std::string_view data, std::string_view order, std::string_view schema) {
  std::string text(kGrammarVersion);
  text.append(data).push_back(kSeparator);
  text.append(order).push_back(kSeparator);
  text.append(schema);
  return text;
}

}  // namespace

DataVersion DataVersion::known(std::string_view data, std::string_view order,
                               std::string_view schema) {
  DataVersion version;
  for (const std::string_view part : {data, order, schema}) {
    if (part.find(kSeparator) != std::string_view::npos) return version;
  }
  version.data_ = data;
  version.order_ = order;
  version.schema_ = schema;
  return version;
}

DataVersion DataVersion::parse(std::string_view token) {
  if (token.substr(0, kGrammarVersion.size()) != kGrammarVersion) return unknown();
  token.remove_prefix(kGrammarVersion.size());
  const std::size_t first = token.find(kSeparator);
  if (first == std::string_view::npos) return unknown();
  const std::size_t second = token.find(kSeparator, first + 1);
  if (second == std::string_view::npos) return unknown();
  // A third separator ends up in the schema part, where known() refuses it.
  return known(token.substr(0, first), token.substr(first + 1, second - first - 1),
               token.substr(second + 1));
}

std::string DataVersion::token() const {
  return is_known() ? token_of(data_, order_, schema_) : std::string();
}

std::string DataVersion::recorded_token() const {
  const auto position = delta::parse_position(data_);
  return position ? token_of(position->recorded_text(), order_, schema_) : token();
}

Comparison DataVersion::compare(const DataVersion& recorded, Sensitivity sensitivity) const {
  if (sensitivity == Sensitivity::schema_only) return compare_proof(schema_, recorded.schema_);
  const Comparison rows = compare_data(data_, recorded.data_);
  if (rows != Comparison::same) return rows;
  if (schema_.empty() && delta::is_position(data_)) return Comparison::unknown;
  if (schema_ != recorded.schema_) return Comparison::changed;
  if (sensitivity == Sensitivity::rows_and_order && order_ != recorded.order_) {
    return Comparison::changed;
  }
  return Comparison::same;
}

}  // namespace hodor
