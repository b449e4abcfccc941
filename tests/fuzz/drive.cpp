// Drives a fuzz target without libFuzzer: replays files, then mutates them until the time is up.
//
// In:  [-max_total_time=SECONDS] [-runs=N] [-seed=N] FILES and folders.
// Out: exit code 0; a property that breaks ends the process and leaves the input in
// ./crash-<seed>-<n>
//      (written before the input is tried, removed after it).
// Never: uses a clock or a device as the source of randomness: the same seed gives the same inputs.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Random = std::mt19937_64;

constexpr std::size_t kMaxBytes = 1u << 14;
// Pieces that the languages at hand are made of; inserted at random places.
constexpr const char* kPieces[] = {
    "select ",  " from ",     "with ",     " as (",     " union all ", "join ",       " using (",
    "'",        "\"",         "`",         "$$",        "/*",          "*/",          "--",
    "\n",       "(",          ")",         "[",         "]",           "{",           "}",
    ",",        ";",          ".",         "::",        "->",          "=>",          "||",
    "e'\\'",    "r'",         "x'",        "1e",        "0x",          "1_000",       "*",
    "exclude ", "pivot ",     "values (",  "table t",   "lateral ",    " over (",     "partition ",
    "case ",    " end",       "interval ", "\xc3\xa9",  "\xff",        "\0",          "null",
    "true",     "\\u0041",    "{\"v\":1",  ",\"sum\":", ":[[",         "]]",          "}",
    "1;a;;b",   "recursive ", "not in ",   "between ",  "now()",       "current_date"};

std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : static_cast<std::size_t>(random() % limit);
}

void insert_piece(Random& random, std::string& text) {
  const char* piece = kPieces[below(random, std::size(kPieces))];
  text.insert(below(random, text.size() + 1), piece);
}

void repeat_range(Random& random, std::string& text) {
  const std::size_t begin = below(random, text.size());
  const std::string range = text.substr(begin, 1 + below(random, 16));
  for (std::size_t count = 1 + below(random, 300); count > 0 && text.size() < kMaxBytes; --count) {
    text.insert(begin, range);
  }
}

void splice(Random& random, std::string& text, const std::string& other) {
  const std::size_t begin = below(random, other.size() + 1);
  const std::size_t length = below(random, other.size() + 1 - begin);
  text.insert(below(random, text.size() + 1), other, begin, length);
}

void mutate(Random& random, std::string& text, const std::string& other) {
  for (std::size_t count = 1 + below(random, 6); count > 0; --count) {
    switch (text.empty() ? 0 : below(random, 6)) {
      case 0:
        insert_piece(random, text);
        break;
      case 1:
        text.erase(below(random, text.size()), 1 + below(random, 8));
        break;
      case 2:
        text[below(random, text.size())] = static_cast<char>(random());
        break;
      case 3:
        text.resize(below(random, text.size() + 1));
        break;
      case 4:
        repeat_range(random, text);
        break;
      default:
        splice(random, text, other);
    }
  }
  if (text.size() > kMaxBytes) text.resize(kMaxBytes);
}

void run_one(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Options {
  double seconds = 0;
  std::uint64_t runs = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> inputs;
};

void read_inputs(const std::filesystem::path& path, Options& options) {
  if (!std::filesystem::is_directory(path)) {
    options.inputs.push_back(read_file(path));
    return;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) options.inputs.push_back(read_file(entry.path()));
  }
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&](const char* name) -> const char* {
      return argument.rfind(name, 0) == 0 ? arguments[i] + std::strlen(name) : nullptr;
    };
    if (const char* seconds = value("-max_total_time=")) {
      options.seconds = std::atof(seconds);
    } else if (const char* runs = value("-runs=")) {
      options.runs = std::strtoull(runs, nullptr, 10);
    } else if (const char* seed = value("-seed=")) {
      options.seed = std::strtoull(seed, nullptr, 10);
    } else if (argument.rfind("-", 0) != 0) {
      read_inputs(argument, options);
    }
  }
  if (options.inputs.empty()) options.inputs.emplace_back();
  return options;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  for (const std::string& input : options.inputs) run_one(input);
  Random random(options.seed);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::uint64_t tried = 0;
  while ((options.runs == 0 || tried < options.runs) && elapsed() < options.seconds) {
    std::string text = options.inputs[below(random, options.inputs.size())];
    mutate(random, text, options.inputs[below(random, options.inputs.size())]);
    const std::string file = "crash-" + std::to_string(options.seed) + "-" + std::to_string(tried);
    // Written first: a sanitizer ends the process without a chance to say with what.
    std::ofstream(file, std::ios::binary) << text;
    run_one(text);
    std::remove(file.c_str());
    ++tried;
  }
  std::printf("%s: %zu files replayed, %llu mutants of seed %llu in %.1f s\n", arguments[0],
              options.inputs.size(), static_cast<unsigned long long>(tried),
              static_cast<unsigned long long>(options.seed), elapsed());
  return 0;
}
