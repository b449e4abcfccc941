// Which dbt node a relation name belongs to, so that dev and prod texts of one node hash the same.
//
// In:  (database, schema, relation) of every node, with its unique id.
// Out: the unique id of a name, compared without regard to ASCII case.
// Never: answers for a name that two nodes share, nor for one of less than three parts: what a
// shorter name means depends on the session.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hodor {

class RelationIds {
 public:
  using Parts = std::vector<std::string>;  // unquoted
  RelationIds() = default;
  explicit RelationIds(const std::vector<std::pair<Parts, std::string>>& pairs);

  // Null when no single node has the name.
  const std::string* find(const Parts& parts) const;

 private:
  std::unordered_map<std::string, std::string> ids_;  // an empty id: the name is shared
};

}  // namespace hodor
