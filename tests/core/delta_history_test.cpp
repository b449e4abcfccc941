// Goal: two positions are `same` only by one of the two proofs, and a listing says when it is too
// short to tell. Method: small histories, listed through pages of several sizes.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/decision/data_version.hpp"
#include "hodor/delta/history.hpp"

namespace hodor::delta {
namespace {

constexpr std::int64_t kStart = 1'792'465'200'000;

Value map_of(const std::string& json_like_name, const std::string& value) {
  return {ValueMap{{{json_like_name}, {value}}}};
}

HistoryRow row(std::int64_t version, const std::string& operation, std::int64_t time_shift = 0) {
  HistoryRow made;
  made.version = version;
  made.time_ms = kStart + version * 1000 + time_shift;
  made.operation = operation;
  if (operation == "WRITE") {
    made.parameters = map_of("mode", "Append");
    made.metrics = map_of("numOutputRows", "5");
  }
  return made;
}

// One row per letter, oldest first: W append, O optimize, C change column, R restore, M merge.
std::vector<HistoryRow> rows_of(const std::string& letters, std::int64_t time_shift = 0) {
  std::vector<HistoryRow> rows;
  for (const char letter : letters) {
    const std::string operation = letter == 'W'   ? "WRITE"
                                  : letter == 'O' ? "OPTIMIZE"
                                  : letter == 'C' ? "CHANGE COLUMN"
                                  : letter == 'M' ? "MERGE"
                                  : letter == 'T' ? "CREATE TABLE AS SELECT"
                                                  : "RESTORE";
    rows.push_back(row(static_cast<std::int64_t>(rows.size()), operation, time_shift));
  }
  return rows;
}

History listing(const std::string& letters, std::int64_t page = 20, std::int64_t time_shift = 0) {
  std::vector<HistoryRow> rows = rows_of(letters, time_shift);
  const auto wanted = static_cast<std::size_t>(page);
  if (rows.size() > wanted) rows.erase(rows.begin(), rows.end() - page);
  Result<History> read = History::read(rows, page);
  EXPECT_TRUE(read.ok()) << letters;
  return std::move(read).value();
}

Position recorded(const History& history) {
  return parse_position(history.position().recorded_text()).value();
}

Standing standing(const History& now, const History& then) {
  return compare(now.position(), recorded(then));
}

TEST(DeltaHistory, MaintenanceAfterTheRecordedChangeIsTheSame) {
  EXPECT_EQ(standing(listing("TW"), listing("TW")), Standing::same);
  EXPECT_EQ(standing(listing("TWOOC"), listing("TW")), Standing::same);
  EXPECT_EQ(standing(listing("TWOO"), listing("TWO")), Standing::same);
  EXPECT_EQ(standing(listing("TWOW"), listing("TWO")), Standing::changed);
  EXPECT_EQ(standing(listing("TWR"), listing("TW")), Standing::changed);
  EXPECT_EQ(standing(listing("TWM"), listing("TW")), Standing::changed);
}

TEST(DeltaHistory, ATableMadeAnewIsAnother) {
  EXPECT_EQ(standing(listing("TW", 20, 7), listing("TW")), Standing::changed);
  EXPECT_EQ(standing(listing("T"), listing("TW")), Standing::changed);
}

TEST(DeltaHistory, TheAnchorHoldsWhenTheChangeIsListedNoMore) {
  const std::string old = "TW" + std::string(5, 'O');
  const History then = listing(old);
  const History now = listing(old + std::string(18, 'O'));
  EXPECT_FALSE(now.position().change.has_value());
  EXPECT_TRUE(now.decides(recorded(then)));
  EXPECT_EQ(standing(now, then), Standing::same);
  // Recorded when nothing but maintenance was listed, too.
  const History later = listing(old + std::string(30, 'O'));
  EXPECT_EQ(standing(later, now), Standing::same);
}

TEST(DeltaHistory, AListingThatIsTooShortAsksForMore) {
  const History then = listing("TWO");
  const std::string now = "TWO" + std::string(25, 'O');
  EXPECT_FALSE(listing(now).decides(recorded(then)));
  EXPECT_EQ(standing(listing(now), then), Standing::unknown);
  EXPECT_TRUE(listing(now, 200).decides(recorded(then)));
  EXPECT_EQ(standing(listing(now, 200), then), Standing::same);
  // A change within the page decides, however old the record.
  EXPECT_TRUE(listing(now + "W").decides(recorded(then)));
  EXPECT_EQ(standing(listing(now + "W"), then), Standing::changed);
}

TEST(DeltaHistory, ACleanedLogWithoutTheAnchorIsUnknown) {
  std::vector<HistoryRow> rows;
  for (std::int64_t version = 100; version < 110; ++version)
    rows.push_back(row(version, "OPTIMIZE"));
  const History now = History::read(rows, 20).value();
  EXPECT_TRUE(now.decides(recorded(listing("TW"))));  // no larger page could say more
  EXPECT_EQ(standing(now, listing("TW")), Standing::unknown);
}

TEST(DeltaHistory, AnotherPageProvesOnlyWhatIsEqual) {
  EXPECT_EQ(standing(listing("TWOO", 200), listing("TW", 20)), Standing::same);
  EXPECT_EQ(standing(listing("TW", 200, 1), listing("TW", 20)), Standing::unknown);
  EXPECT_EQ(standing(listing("TW", 20, 1), listing("TW", 20)), Standing::changed);
}

TEST(DeltaHistory, WhatIsNoListingIsAnError) {
  EXPECT_FALSE(History::read({}, 20).ok());
  EXPECT_FALSE(History::read({row(0, "WRITE")}, 0).ok());
  EXPECT_FALSE(History::read({row(0, "WRITE")}, -1).ok());
  EXPECT_FALSE(History::read({row(0, "WRITE"), row(2, "WRITE")}, 20).ok());
  EXPECT_FALSE(History::read({row(1, "WRITE"), row(1, "WRITE")}, 20).ok());
  EXPECT_FALSE(History::read({row(0, "WRITE"), row(1, "WRITE")}, 1).ok());
  HistoryRow timeless = row(1, "WRITE");
  timeless.time_ms.reset();
  EXPECT_FALSE(History::read({row(0, "WRITE"), timeless}, 20).ok());
  HistoryRow nameless = row(1, "WRITE");
  nameless.version.reset();
  EXPECT_FALSE(History::read({nameless}, 20).ok());
  EXPECT_TRUE(History::read({row(1, "WRITE"), row(0, "WRITE")}, 20).ok());
  constexpr auto kMost = static_cast<std::int64_t>(limits::kHistoryRows);
  EXPECT_TRUE(History::read({row(0, "WRITE")}, kMost).ok());
  EXPECT_FALSE(History::read({row(0, "WRITE")}, kMost + 1).ok());
}

TEST(DeltaHistory, AThousandCommitsOfMaintenanceFitOnePage) {
  const History now = listing(std::string(1000, 'O'), 1000);
  EXPECT_EQ(now.position().trail.size(), 999u);
  const std::string text = now.position().text();
  EXPECT_EQ(parse_position(text)->text(), text);
  EXPECT_LT(now.position().recorded_text().size(), 60u);
}

TEST(DeltaHistory, OnlyOurOwnWritesAreOurs) {
  const History before = listing("TW");
  const auto anchor = std::optional<Position>(recorded(before));
  EXPECT_TRUE(listing("TWT").are_ours(anchor, {Write::create}));
  EXPECT_TRUE(listing("TWOTO").are_ours(anchor, {Write::create}));
  EXPECT_TRUE(listing("TWTC").are_ours(anchor, {Write::create, Write::change_column}));
  EXPECT_TRUE(listing("TWT").are_ours(anchor, {Write::create, Write::change_column}));
  EXPECT_TRUE(listing("TW").are_ours(anchor, {Write::merge}));  // of nothing, without a commit
  EXPECT_FALSE(listing("TWWT").are_ours(anchor, {Write::create}));
  EXPECT_FALSE(listing("TWTW").are_ours(anchor, {Write::create}));
  EXPECT_FALSE(listing("TWTC").are_ours(anchor, {Write::create}));
  EXPECT_FALSE(listing("TWM").are_ours(anchor, {Write::write}));
  EXPECT_FALSE(listing("TWM").are_ours(anchor, {Write::merge, Write::write}));
  EXPECT_FALSE(listing("TWR").are_ours(anchor, {}));
  EXPECT_FALSE(listing("TWT", 20, 1).are_ours(anchor, {Write::create}));
}

TEST(DeltaHistory, ATableThatWeMadeShowsAllOfItsHistory) {
  EXPECT_TRUE(listing("T").are_ours(std::nullopt, {Write::create}));
  EXPECT_TRUE(listing("TM").are_ours(std::nullopt, {Write::create, Write::merge}));
  EXPECT_FALSE(listing("TW").are_ours(std::nullopt, {Write::create}));
  EXPECT_FALSE(listing("TW").are_ours(std::nullopt, {}));
  std::vector<HistoryRow> rows = {row(7, "CREATE TABLE AS SELECT")};
  EXPECT_FALSE(History::read(rows, 20).value().are_ours(std::nullopt, {Write::create}));
}

TEST(DeltaPosition, OneTextPerPosition) {
  for (const char* text : {"history:1@2,3@4,20", "history:-,3@4,200", "history:1@-2,3@4,20,2@3",
                           "history:0@0,0@0,1000"}) {
    const auto position = parse_position(text);
    ASSERT_TRUE(position.has_value()) << text;
    EXPECT_EQ(position->text(), text);
  }
  for (const char* text :
       {"", "history:", "history:1@2,3@4", "history:1@2,-,20", "history:1@2,3@4,0",
        "history:1@2,3@4,x", "history:1@2,3@4,20,", "history:01@2,3@4,20", "history:-1@2,3@4,20",
        "history:1@2,3@4,20,5", "history:1,3@4,20", "history:+1@2,3@4,20", "delta:1@2,3@4,20",
        "history:1@2,3@4, 20", "history:1@99999999999999999999,3@4,20"}) {
    EXPECT_FALSE(parse_position(text).has_value()) << text;
  }
}

TEST(DeltaPosition, TokensCompareByTheirPositions) {
  const auto compare = [](const char* now, const char* then, Sensitivity sensitivity) {
    return DataVersion::parse(now).compare(DataVersion::parse(then), sensitivity);
  };
  const char* now = "1;history:1@5,4@9,20,3@8,2@7;;s";
  EXPECT_EQ(compare(now, "1;history:1@5,1@5,20;;s", Sensitivity::rows), Comparison::same);
  EXPECT_EQ(compare(now, "1;history:-,2@7,20;;s", Sensitivity::rows), Comparison::same);
  EXPECT_EQ(compare(now, "1;history:-,2@7,20;;s", Sensitivity::rows_and_order), Comparison::same);
  EXPECT_EQ(compare(now, "1;history:-,2@6,20;;s", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(compare(now, "1;history:1@5,1@5,20;;t", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(compare(now, "1;history:1@5,1@5,20;;t", Sensitivity::schema_only), Comparison::changed);
  // Commits that alter columns do not move a position.
  EXPECT_EQ(compare("1;history:1@5,1@5,20;;", "1;history:1@5,1@5,20;;", Sensitivity::rows),
            Comparison::unknown);
  EXPECT_EQ(compare("1;history:1@5,1@5;;s", "1;history:1@5,1@5;;s", Sensitivity::rows),
            Comparison::unknown);
  EXPECT_EQ(compare(now, "1;20:1:2;;s", Sensitivity::rows), Comparison::changed);
  EXPECT_EQ(DataVersion::parse(now).recorded_token(), "1;history:1@5,4@9,20;;s");
  EXPECT_EQ(DataVersion::parse("1;a;b;c").recorded_token(), "1;a;b;c");
  EXPECT_EQ(DataVersion::unknown().recorded_token(), "");
}

}  // namespace
}  // namespace hodor::delta
