// Goal: the facts of a text are exactly what it does, and one-sided where it is not understood.
// Method: golden blocks, SQL → one line per fact that is not empty.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden_file.hpp"
#include "hodor/extract/analyze.hpp"

namespace hodor {
namespace {

std::string join(const std::vector<std::string>& list, const char* with = ", ") {
  std::string out;
  for (const std::string& text : list) out += (out.empty() ? "" : with) + text;
  return out;
}

void line(std::string& out, const std::string& name, const std::vector<std::string>& list) {
  if (!list.empty()) out += name + ": " + join(list) + "\n";
}

std::string show(const Facts& facts) {
  std::string out;
  if (!facts.exact) out += "not exact\n";
  std::vector<std::string> list;
  for (const RelationName& name : facts.relations) {
    list.push_back(join(name.parts, ".") + (name.pinned ? " (pinned)" : ""));
  }
  line(out, "relations", list);
  line(out, "paths", facts.paths);
  list.clear();
  for (const FileRead& file : facts.files)
    list.push_back(file.function + " '" + file.pattern + "'");
  line(out, "files", list);
  line(out, "opaque", facts.opaque_inputs);
  list.clear();
  for (const VolatileCall& call : facts.volatile_calls) {
    static constexpr const char* kClasses[] = {"date", "session", "always"};
    std::string text = kClasses[static_cast<int>(call.volatile_class)];
    text += call.use == VolatileUse::stamp ? " stamp " + call.alias + " = " : " logic ";
    list.push_back(text + call.text);
  }
  line(out, "volatile", list);
  line(out, "functions", facts.functions);
  line(out, "columns", facts.columns);
  line(out, "output", facts.output_columns);
  if (facts.star) out += "star\n";
  if (facts.order_sensitive) out += "order sensitive\n";
  if (facts.own.reads == OwnReads::high_water_mark) out += "own: high-water mark";
  if (facts.own.reads == OwnReads::other) out += "own: other";
  if (facts.own.plain_greater) out += ", plain greater";
  if (facts.own.reads != OwnReads::none) out += "\n";
  return out.empty() ? "nothing\n" : out;
}

AnalyzeOptions options_of(const golden::Block& block) {
  AnalyzeOptions options;
  const auto own = block.options.find("own");
  if (own != block.options.end()) {
    std::istringstream parts(own->second);
    for (std::string part; std::getline(parts, part, '.');) options.own.push_back(part);
  }
  options.run_values = {{"5e0f9c1a-aaaa-bbbb-cccc-0123456789ab", "invocation_id"}};
  return options;
}

TEST(ExtractFacts, GoldenBlocks) {
  golden::check("facts", [](const golden::Block& block) {
    const AnalyzeOptions options = options_of(block);
    return show(analyze(block.sql, golden::dialect_of(block), options).facts);
  });
}

TEST(ExtractFacts, GoldenStatements) {
  golden::check("statements", [](const golden::Block& block) {
    const AnalyzeOptions options = options_of(block);
    static constexpr const char* kKinds[] = {"query",   "harmless", "write",
                                             "session", "loads",    "opaque"};
    std::string out;
    for (const StatementFacts& statement :
         analyze_statements(block.sql, golden::dialect_of(block), options).statements) {
      out += kKinds[static_cast<int>(statement.kind)];
      if (statement.target) out += " " + join(statement.target->parts, ".");
      out += "\n";
      std::istringstream facts(show(statement.facts));
      for (std::string text; std::getline(facts, text);) out += "  " + text + "\n";
    }
    return out.empty() ? std::string("nothing\n") : out;
  });
}

}  // namespace
}  // namespace hodor
