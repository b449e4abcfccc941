#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstddef>

#include "bind.hpp"
#include "hodor/base/sha256.hpp"
#include "hodor/fingerprint/hash_version.hpp"
#include "hodor/fingerprint/seed_hash.hpp"
#include "hodor/fingerprint/text_hash.hpp"
#include "hodor/fingerprint/value_digest.hpp"
#include "python_value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

std::string_view bytes_view(const nb::bytes& data) {
  return {static_cast<const char*>(data.data()), data.size()};
}

// Handing the lock to another thread and waiting to get it back costs more than a short text.
constexpr std::size_t kWorthReleasing = 64 * 1024;

template <class Work>
std::string without_lock(std::string_view text, const Work& work) {
  if (text.size() < kWorthReleasing) return work(text);
  const nb::gil_scoped_release released;
  return work(text);
}

std::string sha256_of(const nb::bytes& data) {
  return without_lock(bytes_view(data), [](std::string_view text) { return sha256_hex(text); });
}

std::string text_hash_of(std::string_view sql, const RunValues& run_values) {
  return without_lock(sql, [&](std::string_view text) { return text_hash(text, run_values); });
}

std::string seed_hash_of(const nb::bytes& data, std::string_view delimiter) {
  return without_lock(bytes_view(data),
                      [&](std::string_view text) { return seed_hash(text, delimiter); });
}

nb::object text_object(const std::string& text) {
  const nb::object object =
      nb::steal(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  if (!object.is_valid()) nb::raise_python_error();
  return object;
}

nb::dict digest_parts_of(std::string_view label, const nb::dict& value) {
  nb::dict parts;
  for (const auto& [key, digest] : value_or_raise(value_digest_parts(label, to_value(value)))) {
    const nb::object name = text_object(key);
    const nb::object text = text_object(digest);
    if (PyDict_SetItem(parts.ptr(), name.ptr(), text.ptr()) != 0) nb::raise_python_error();
  }
  return parts;
}

}  // namespace

void bind_hashes(nb::module_& m) {
  m.attr("HASH_VERSION") = kHashVersion;
  m.def("sha256", &sha256_of, "data"_a, "SHA-256 of bytes, as lower-case hex.");
  m.def("text_hash", &text_hash_of, "sql"_a, "run_values"_a,
        "Hash of a compiled text with this run's values taken out.\n\n"
        "run_values: pairs of (value of this run, placeholder). Releases the GIL for a long text.");
  m.def(
      "seed_hash", &seed_hash_of, "data"_a, "delimiter"_a = "",
      "Hash of a CSV file; CR LF counts as LF outside fields that any reader takes for quoted.\n\n"
      "delimiter: the seed's own when it is a letter or digit. Releases the GIL for a long file.");
  m.def(
      "digest",
      [](std::string_view label, nb::handle value, nb::handle to_plain) {
        return value_or_raise(value_digest(label, to_value(value, to_plain)));
      },
      "label"_a, "value"_a.none(), "to_plain"_a.none() = nb::none(),
      nb::sig("def digest(label: str, value: object, to_plain: collections.abc.Callable[[object], "
              "object] | None = None) -> str"),
      "SHA-256 over the typed pre-image of a plain value; the order of dict keys does not "
      "count.\n\n"
      "to_plain: gives a plain value for what is not exactly of a built-in kind.\n\n"
      "Raises TypeError for a type that is not plain, ValueError beyond a limit.");
  m.def("digest_parts", &digest_parts_of, "label"_a, "value"_a,
        nb::sig("def digest_parts(label: str, value: dict[str, object]) -> dict[str, str]"),
        "One digest per top-level key of a dict with text keys.");
  m.def(
      "dump_preimage",
      [](std::string_view label, nb::handle value) {
        return value_or_raise(dump_value(label, to_value(value)));
      },
      "label"_a, "value"_a.none(), "The pre-image that `digest` hashes, one field a line.");
}

}  // namespace hodor::python
