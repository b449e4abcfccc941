// A tree of plain values: what a dbt config or a JSON text holds.
//
// In:  values from Python or from `json`.
// Out: a type that keeps apart what looks alike: 1, "1", true, 1.0 and b"1" are five values.
// Never: a value whose meaning depends on anything outside the tree.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hodor {

struct BigInteger {
  std::string digits;  // canonical decimal, '-' first when negative, beyond 64 bits
};
struct Decimal {
  std::string text;  // a JSON number that is no integer of 64 bits, as written
};
struct Bytes {
  std::string bytes;
};
struct Date {
  std::string iso;
};
struct DateTime {
  std::string iso;
};

struct Value;
struct MapEntry;
using ValueList = std::vector<Value>;
using ValueMap = std::vector<MapEntry>;  // in the order of the source; keys are scalars

struct Value {
  using Content = std::variant<std::monostate, bool, std::int64_t, BigInteger, double, Decimal,
                               std::string, Bytes, Date, DateTime, ValueList, ValueMap>;
  Content content;

  bool is_null() const { return std::holds_alternative<std::monostate>(content); }
  // Null when the value has another type.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&content);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&content);
  }
};

struct MapEntry {
  Value key;
  Value value;
};

}  // namespace hodor
