// Golden blocks: SQL, `--`, the expected text, `==`. Lines before the SQL: `#` comments,
// [key=value].
//
// In:  the files <tests>/golden/<directory>/*.test and a function SQL → text.
// Out: a test failure per block that differs. With HODOR_UPDATE_GOLDEN set the files are rewritten
// instead: read the diff before you commit it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "hodor/syntax/dialect.hpp"

namespace hodor::golden {

struct Block {
  std::string head;  // comments and options, as written
  std::map<std::string, std::string> options;
  std::string sql;
  std::string expected;
};

inline std::vector<Block> read(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<Block> blocks;
  Block block;
  int part = 0;  // head, SQL, expected
  for (std::string line; std::getline(in, line);) {
    if (part == 0 && (line.empty() || line[0] == '#' || line[0] == '[')) {
      block.head += line + "\n";
      if (!line.empty() && line[0] == '[') {
        std::istringstream words(line.substr(1, line.find(']') - 1));
        for (std::string word; words >> word;) {
          const std::size_t equals = word.find('=');
          block.options[word.substr(0, equals)] = word.substr(equals + 1);
        }
      }
      continue;
    }
    if (line == "==") {
      blocks.push_back(block);
      block = {};
      part = 0;
    } else if (line == "--") {
      part = 2;
    } else if (part == 2) {
      block.expected += line + "\n";
    } else {
      part = 1;
      block.sql += block.sql.empty() ? line : "\n" + line;
    }
  }
  EXPECT_EQ(part, 0) << path << " ends inside of a block";
  return blocks;
}

inline void check(const std::string& directory,
                  const std::function<std::string(const Block&)>& answer) {
  const std::filesystem::path root = std::filesystem::path(HODOR_TEST_DATA) / "golden" / directory;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  const bool update = std::getenv("HODOR_UPDATE_GOLDEN") != nullptr;
  for (const std::filesystem::path& path : files) {
    std::string rewritten;
    for (const Block& block : read(path)) {
      const std::string actual = answer(block);
      rewritten += block.head + block.sql + "\n--\n" + actual + "==\n";
      if (!update) {
        EXPECT_EQ(actual, block.expected) << path.filename() << "\n" << block.head << block.sql;
      }
    }
    if (update) std::ofstream(path) << rewritten;
  }
}

inline Dialect dialect_of(const Block& block) {
  const auto found = block.options.find("dialect");
  return found != block.options.end() && found->second == "databricks" ? Dialect::databricks
                                                                       : Dialect::duckdb;
}

}  // namespace hodor::golden
