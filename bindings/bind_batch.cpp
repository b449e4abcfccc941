// Many texts at once, on threads of their own: the core has none.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "bind.hpp"
#include "hodor/extract/analyze.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hodor::python {
namespace {

using BatchText = std::pair<std::string, std::optional<KnownColumns>>;

// Each thread takes the next text; the place of an answer is that of its text.
class Batch {
 public:
  Batch(std::vector<BatchText> texts, Dialect dialect)
      : texts_(std::move(texts)), dialect_(dialect), answers_(texts_.size()) {}

  std::vector<Analysis> run(std::size_t threads) {
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < std::min(threads, texts_.size()); ++i) {
      others.emplace_back([this] { work(); });
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(answers_);
  }

 private:
  void work() {
    try {
      for (std::size_t i = next_++; i < texts_.size(); i = next_++) {
        AnalyzeOptions options;
        options.usual_settings = true;
        options.parts = false;
        if (texts_[i].second) options.columns = std::move(*texts_[i].second);
        answers_[i] = analyze(texts_[i].first, dialect_, options);
      }
    } catch (...) {  // no memory
      const std::lock_guard<std::mutex> lock(mutex_);
      failure_ = std::current_exception();
    }
  }

  std::vector<BatchText> texts_;
  Dialect dialect_;
  std::vector<Analysis> answers_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

std::vector<Analysis> analyze_all(std::vector<BatchText> texts, std::string_view dialect,
                                  unsigned threads) {
  const Dialect chosen = dialect_named(dialect);
  const nb::gil_scoped_release released;
  const unsigned count = threads != 0 ? threads : std::thread::hardware_concurrency();
  return Batch(std::move(texts), chosen).run(std::max(1U, count));
}

}  // namespace

void bind_batch(nb::module_& m) {
  m.def("analyze_batch", &analyze_all, "texts"_a, "dialect"_a, "threads"_a = 0,
        "What `analyze` says of each (text, columns of tables or None), in their order, with the "
        "engine's settings at their defaults and without parts.\n\n"
        "threads: 0 for one per core. Releases the GIL.");
}

}  // namespace hodor::python
