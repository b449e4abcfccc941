// hodor-dev: shows what the core makes of one SQL file.
//
// In:  a command, a file ("-": standard input), a dialect.
// Out: tokens, the code hash, the pre-image as text that `diff` can compare (of the token tier, or
// of
//      the canonical form), or the canonical text, whether or not it would do.
// Never: part of the package.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"
#include "hodor/base/json.hpp"
#include "hodor/canonical/canonical_form.hpp"
#include "hodor/canonical/canonical_text.hpp"
#include "hodor/fingerprint/code_hash.hpp"
#include "hodor/syntax/parser.hpp"

namespace hodor::dev {
namespace {

constexpr std::string_view kUsage =
    "usage: hodor-dev tokens|hash|preimage|canonical|text FILE --dialect duckdb|databricks "
    "[--run-value "
    "VALUE "
    "PLACEHOLDER]... [--relation DATABASE SCHEMA NAME ID]...\n"
    "       hodor-dev batch [--columns FILE] < RECORDS\n";

struct Options {
  std::string command, file, columns;
  Dialect dialect = Dialect::duckdb;
  RunValues run_values;
  std::vector<std::pair<RelationIds::Parts, std::string>> relations;
};

// False for arguments that mean nothing.
bool parse(const std::vector<std::string>& arguments, Options* options) {
  std::vector<std::string> names;
  bool has_dialect = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::size_t left = arguments.size() - i - 1;
    if (arguments[i] == "--dialect" && left >= 1) {
      const auto dialect = parse_dialect(arguments[++i]);
      if (!dialect) return false;
      options->dialect = *dialect;
      has_dialect = true;
    } else if (arguments[i] == "--columns" && left >= 1) {
      options->columns = arguments[++i];
    } else if (arguments[i] == "--run-value" && left >= 2) {
      options->run_values.emplace_back(arguments[i + 1], arguments[i + 2]);
      i += 2;
    } else if (arguments[i] == "--relation" && left >= 4) {
      options->relations.push_back(
          {{arguments[i + 1], arguments[i + 2], arguments[i + 3]}, arguments[i + 4]});
      i += 4;
    } else {
      names.push_back(arguments[i]);
    }
  }
  if (names.size() == 1 && names[0] == "batch") {
    options->command = names[0];
    return true;
  }
  if (names.size() != 2 || !has_dialect) return false;
  options->command = names[0];
  options->file = names[1];
  return true;
}

bool read_file(const std::string& name, std::string* content) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) return false;
  }
  std::istream& in = name == "-" ? std::cin : file;
  content->assign(std::istreambuf_iterator<char>(in), {});
  return true;
}

void print_tokens(std::string_view sql, Dialect dialect) {
  for (const Token& token : lex(sql, dialect).tokens) {
    std::cout << token.begin << '-' << token.end << '\t' << hodor::name_of(token.kind)
              << (token.word_class == WordClass::reserved ? " reserved" : "") << '\t'
              << token.text(sql) << '\n';
  }
}

// {"relation": ["column", ...]}; false for another document.
bool read_columns(std::string_view text, KnownColumns* columns) {
  Result<Value> document = json::parse(text);
  ValueMap* map = document.ok() ? document.value().as<ValueMap>() : nullptr;
  if (map == nullptr) return false;
  for (MapEntry& entry : *map) {
    ValueList* names = entry.value.as<ValueList>();
    if (names == nullptr) return false;
    for (Value& name : *names) {
      if (name.as<std::string>() == nullptr) return false;
      (*columns)[*entry.key.as<std::string>()].push_back(*name.as<std::string>());
    }
  }
  return true;
}

int batch(const Options& options) {
  KnownColumns columns;
  std::string text;
  if (!options.columns.empty() &&
      (!read_file(options.columns, &text) || !read_columns(text, &columns))) {
    std::cerr << "hodor-dev: no columns in " << options.columns << '\n';
    return 2;
  }
  return run_batch(std::cin, std::cout, columns);
}

int run(const Options& options) {
  if (options.command == "batch") return batch(options);
  std::string sql;
  if (!read_file(options.file, &sql)) {
    std::cerr << "hodor-dev: cannot read " << options.file << '\n';
    return 2;
  }
  if (options.command == "tokens") {
    print_tokens(sql, options.dialect);
    return 0;
  }
  const CodeText text(sql, options.dialect, options.run_values);
  const RelationIds ids(options.relations);
  const CodeHasher hasher(text, &ids);
  if (options.command == "hash") {
    std::cout << (text.tier() == CodeTier::tokens ? "tokens " : "text ") << hasher.hash() << '\n';
    return 0;
  }
  if (options.command == "preimage") {
    std::cout << hasher.preimage().dump();
    return 0;
  }
  if (options.command == "canonical" || options.command == "text") {
    const Tree tree = parse_query(text.sql(), options.dialect, text.lexed());
    for (const Problem& problem : tree.problems) {
      std::cerr << "token " << problem.token << ": " << problem.what << '\n';
    }
    if (!has_canonical_form(tree)) return 1;
    const CodeHasher folded(text, &ids, TokenRoles{tree.keyword});
    if (options.command == "text") {
      std::cout << CanonicalText(tree, folded, {}).whole(NewNames::each) << '\n';
      return 0;
    }
    const CanonicalForm form = canonical_form(tree, folded, {});
    std::cout << form.preimage.dump();
    for (const auto& [relation, column] : form.assumes) {
      std::cout << "assumes: " << relation << " lacks " << column << '\n';
    }
    return 0;
  }
  std::cerr << kUsage;
  return 2;
}

}  // namespace
}  // namespace hodor::dev

int main(int count, char** values) {
  hodor::dev::Options options;
  if (!hodor::dev::parse(std::vector<std::string>(values + 1, values + count), &options)) {
    std::cerr << hodor::dev::kUsage;
    return 2;
  }
  return hodor::dev::run(options);
}
