// A value or an error text. The core reports failures with it and throws nothing.
//
// In:  whatever a function computed, or why it could not.
// Out: a caller must ask `ok()` before it reads `value()`.
// Never: a default value in place of a failure.
#pragma once
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace hodor {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return content_.index() == 0; }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&content_);
  }
  // By value: `for (x : f().value())` would walk through a value that is gone already.
  T value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&content_));
  }
  const std::string& error() const {
    assert(!ok());
    return std::get_if<1>(&content_)->message;
  }

 private:
  std::variant<T, Error> content_;
};

}  // namespace hodor

// HODOR_TRY(name, expression): declares `name` as the value of a Result, or returns its error.
#define HODOR_TRY(name, expression)                                          \
  auto name##_or_error = (expression);                                       \
  if (!name##_or_error.ok()) return ::hodor::Error{name##_or_error.error()}; \
  auto name = std::move(name##_or_error).value()
