#include "python_value.hpp"

#include <string>
#include <utility>

#include "hodor/base/limits.hpp"

namespace nb = nanobind;

namespace hodor::python {
namespace {

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(object, &size);
  if (data == nullptr) nb::raise_python_error();
  return {data, static_cast<std::size_t>(size)};
}

std::string iso_text(nb::handle object) {
  const nb::object iso = object.attr("isoformat")();
  if (!PyUnicode_Check(iso.ptr())) throw nb::type_error("isoformat() gave no text");
  return text_of(iso.ptr());
}

bool is_exactly_builtin(PyObject* object) {
  if (PyUnicode_CheckExact(object) || object == Py_None || PyBool_Check(object)) return true;
  if (PyDict_CheckExact(object)) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    while (PyDict_Next(object, &position, &key, nullptr) != 0) {
      if (!PyUnicode_CheckExact(key)) return false;
    }
    return true;
  }
  return PyList_CheckExact(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
         PyBytes_CheckExact(object);
}

class Converter {
 public:
  explicit Converter(PyObject* to_plain) : to_plain_(to_plain) {}

  // `value` is null when this begins.
  void convert(PyObject* object, Value& value, std::size_t depth) {
    if (++count_ > limits::kValueCount) throw nb::value_error("too many values");
    if (depth > limits::kValueDepth) throw nb::value_error("nested too deeply");
    if (to_plain_ != nullptr && !is_exactly_builtin(object)) {
      convert_other(object, value, depth);
    } else if (PyUnicode_Check(object)) {
      value.content = text_of(object);
    } else if (object == Py_None) {
      // It is null already.
    } else if (PyBool_Check(object)) {
      value.content = object == Py_True;
    } else if (PyLong_Check(object)) {
      convert_integer(object, value);
    } else if (PyDict_Check(object)) {
      convert_dict(object, value.content.emplace<ValueMap>(), depth);
    } else if (PyList_Check(object) || PyTuple_Check(object)) {
      convert_sequence(object, value.content.emplace<ValueList>(), depth);
    } else if (PyFloat_Check(object)) {
      value.content = PyFloat_AsDouble(object);
    } else if (PyBytes_Check(object)) {
      char* data = nullptr;
      Py_ssize_t size = 0;
      if (PyBytes_AsStringAndSize(object, &data, &size) != 0) nb::raise_python_error();
      value.content = Bytes{{data, static_cast<std::size_t>(size)}};
    } else {
      convert_date(object, value);
    }
  }

 private:
  void convert_other(PyObject* object, Value& value, std::size_t depth) {
    const nb::object plain = nb::handle(to_plain_)(nb::handle(object));
    PyObject* const none_inside = std::exchange(to_plain_, nullptr);
    convert(plain.ptr(), value, depth + 1);
    to_plain_ = none_inside;
  }

  static void convert_integer(PyObject* object, Value& out) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      if (small == -1 && PyErr_Occurred() != nullptr) nb::raise_python_error();
      out.content = static_cast<std::int64_t>(small);
      return;
    }
    // Digits of the integer itself: a subclass (an enum) may print something else.
    const nb::object digits = nb::steal(PyNumber_ToBase(object, 10));
    if (!digits.is_valid()) nb::raise_python_error();
    out.content = BigInteger{text_of(digits.ptr())};
  }

  void convert_dict(PyObject* object, ValueMap& map, std::size_t depth) {
    map.reserve(static_cast<std::size_t>(PyDict_Size(object)));
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* item = nullptr;
    while (PyDict_Next(object, &position, &key, &item) != 0) {
      const bool is_scalar = !PyTuple_Check(key) && !PyFloat_Check(key);
      if (!is_scalar) throw nb::type_error("a tuple or float is no key that can be hashed");
      // `to_plain` is Python code: whatever it does, these two live until they are converted.
      const nb::object kept_key = nb::borrow(key);
      const nb::object kept_item = nb::borrow(item);
      MapEntry& entry = map.emplace_back();
      convert(key, entry.key, depth + 1);
      convert(item, entry.value, depth + 1);
    }
  }

  void convert_sequence(PyObject* object, ValueList& list, std::size_t depth) {
    const bool is_list = PyList_Check(object);
    const Py_ssize_t size = is_list ? PyList_Size(object) : PyTuple_Size(object);
    list.reserve(static_cast<std::size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* item = is_list ? PyList_GetItem(object, i) : PyTuple_GetItem(object, i);
      if (item == nullptr) nb::raise_python_error();
      const nb::object kept = nb::borrow(item);
      convert(item, list.emplace_back(), depth + 1);
    }
  }

  // A datetime is a date too, so it is asked first.
  static void convert_date(PyObject* object, Value& out) {
    const nb::module_ datetime = nb::module_::import_("datetime");
    const nb::handle handle(object);
    if (nb::isinstance(handle, datetime.attr("datetime"))) {
      std::string iso = iso_text(handle);
      // Two readings of one wall clock time that isoformat() prints alike.
      if (nb::cast<int>(handle.attr("fold")) != 0) iso += " fold";
      out.content = DateTime{std::move(iso)};
    } else if (nb::isinstance(handle, datetime.attr("date"))) {
      out.content = Date{iso_text(handle)};
    } else {
      const nb::object name =
          nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object))).attr("__name__");
      throw nb::type_error(("a value of type " + text_of(name.ptr()) + " has no digest").c_str());
    }
  }

  PyObject* to_plain_;  // borrowed, null when there is none
  std::size_t count_ = 0;
};

}  // namespace

Value to_value(nb::handle object) {
  Value value;
  Converter(nullptr).convert(object.ptr(), value, 0);
  return value;
}

Value to_value(nb::handle object, nb::handle to_plain) {
  Value value;
  Converter(to_plain.is_none() ? nullptr : to_plain.ptr()).convert(object.ptr(), value, 0);
  return value;
}

}  // namespace hodor::python
