// A token that names one state of a table's data, or unknown.
//
// In:  the parts that a version provider read from the warehouse.
// Out: `same`, `changed` or `unknown` through one comparison.
// Never: equal to anything when unknown, itself included; a forgotten check can only cause a build.
//
// Token grammar (the store keeps this text; nothing outside this type looks into it):
//   token ::= "1" ";" data ";" order ";" schema
// `data` names the multiset of rows, `order` their physical order (empty: equal data implies equal
// order), `schema` the ordered columns. Each part is text without ';'. A `data` part that is a
// position in a table's history (hodor/delta/position.hpp) is compared as one, and proves nothing
// without a `schema` part: commits that only alter columns do not move it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace hodor {

enum class Comparison { same, changed, unknown };

// Which parts of two tokens must agree.
enum class Sensitivity { rows, rows_and_order, schema_only };

class DataVersion {
 public:
  static DataVersion unknown() { return {}; }
  // Unknown when a part contains ';' or data and schema are empty.
  static DataVersion known(std::string_view data, std::string_view order, std::string_view schema);
  // Unknown when the token does not follow the grammar.
  static DataVersion parse(std::string_view token);

  bool is_known() const { return !data_.empty() || !schema_.empty(); }
  std::string token() const;  // empty when unknown
  // What a record keeps: the token without what only a version of now can be asked for.
  std::string recorded_token() const;
  Comparison compare(const DataVersion& recorded, Sensitivity sensitivity) const;
  bool operator==(const DataVersion&) const = delete;

 private:
  std::string data_, order_, schema_;
};

}  // namespace hodor
