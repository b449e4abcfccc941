// Reads, writes and compares version tokens. The grammar stands in the header.
#include "hodor/decision/data_version.hpp"

namespace hodor {
namespace {

constexpr char kSeparator = ';';
constexpr std::string_view kGrammarVersion = "1;";

// A part that a side does not have proves nothing; an unknown version has none.
Comparison compare_proof(const std::string& now, const std::string& then) {
  if (now.empty() || then.empty()) return Comparison::unknown;
  return now == then ? Comparison::same : Comparison::changed;
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
  if (!is_known()) return {};
  std::string text(kGrammarVersion);
  text.append(data_).push_back(kSeparator);
  text.append(order_).push_back(kSeparator);
  text.append(schema_);
  return text;
}

Comparison DataVersion::compare(const DataVersion& recorded, Sensitivity sensitivity) const {
  if (sensitivity == Sensitivity::schema_only) return compare_proof(schema_, recorded.schema_);
  const Comparison rows = compare_proof(data_, recorded.data_);
  if (rows != Comparison::same) return rows;
  if (schema_ != recorded.schema_) return Comparison::changed;
  if (sensitivity == Sensitivity::rows_and_order && order_ != recorded.order_) {
    return Comparison::changed;
  }
  return Comparison::same;
}

}  // namespace hodor
