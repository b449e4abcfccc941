// JSON (RFC 8259) of records: a strict reader into a Value tree and a writer with one output per
// value.
//
// In:  text of unknown origin; or values in the order that the caller fixes.
// Out: a tree or an error; or compact text (no white space, only the escapes JSON demands).
// Never: throws, guesses, repairs, accepts a duplicate key, invalid UTF-8 or a lone surrogate, or
// goes past a limit of limits.hpp.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "hodor/base/result.hpp"
#include "hodor/base/value.hpp"

namespace hodor::json {

// `compact` accepts only what Writer writes: one text per value, so nothing is lost by reading it.
enum class Form { any, compact };

// The whole text is one JSON value. Integers of 64 bits become std::int64_t, other numbers Decimal.
Result<Value> parse(std::string_view text, Form form = Form::any);

// Null when `object` is no object or has no such key.
const Value* find(const Value& object, std::string_view key);

// Writes one value. Calls must nest; keys and values alternate inside an object.
class Writer {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name) {
    text(name);
    out_.push_back(':');
    comma_ = false;
  }
  void text(std::string_view value);
  void integer(std::int64_t value);
  void boolean(bool value);
  void null();

  // An error when a text was not UTF-8.
  Result<std::string> finish() &&;

 private:
  void separate() {
    if (comma_) out_.push_back(',');
    comma_ = true;
  }
  void open(char bracket) {
    separate();
    out_.push_back(bracket);
    comma_ = false;
  }
  void close(char bracket) {
    out_.push_back(bracket);
    comma_ = true;
  }
  std::string out_;
  bool comma_ = false;
  bool invalid_ = false;
};

}  // namespace hodor::json
