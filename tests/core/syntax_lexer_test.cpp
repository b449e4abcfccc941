// The lexer against what the engines do: each row was run on DuckDB 1.5.5 and 2.0.1, or on
// Spark 4.1.1.
//
// A row names the tokens as written, separated by a space; kinds and flags have rows of their own.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "hodor/base/limits.hpp"
#include "hodor/syntax/lexer.hpp"
#include "hodor/syntax/words.hpp"

namespace hodor {
namespace {

constexpr Dialect kBoth[] = {Dialect::duckdb, Dialect::databricks};

// "select|1|+|2"; an error token shows as its kind.
std::string texts_of(std::string_view sql, Dialect dialect) {
  const Lexed lexed = lex(sql, dialect);
  EXPECT_EQ(check_tokens(sql, dialect, lexed), "") << sql;
  std::string line;
  for (const Token& token : lexed.tokens) {
    if (token.kind == TokenKind::end) break;
    if (!line.empty()) line += '|';
    line += is_error(token.kind) ? name_of(token.kind) : std::string(token.text(sql));
  }
  return line;
}

// "identifier number op"
std::string kinds_of(std::string_view sql, Dialect dialect) {
  std::string line;
  for (const Token& token : lex(sql, dialect).tokens) {
    if (token.kind == TokenKind::end) break;
    if (!line.empty()) line += ' ';
    line += name_of(token.kind);
  }
  return line;
}

struct Row {
  const char* sql;
  const char* tokens;
};

void expect_rows(Dialect dialect, const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(texts_of(row.sql, dialect), row.tokens) << row.sql;
}

TEST(Lexer, DuckdbOperatorsFollowPostgres) {
  expect_rows(Dialect::duckdb, {{"5!=-3", "5|!=-|3"},
                                {"5%-3", "5|%-|3"},
                                {"a||-3", "a|||-|3"},
                                {"2^-1", "2|^-|1"},
                                {"~-2", "~-|2"},
                                {"@-2", "@-|2"},
                                {"1@-2", "1|@-|2"},
                                {"a&-b", "a|&-|b"},
                                {"a|-b", "a||-|b"},
                                {"2**-1", "2|**|-|1"},
                                {"a=-1", "a|=|-|1"},
                                {"a>=-1", "a|>=|-|1"},
                                {"a<+-1", "a|<|+|-|1"},
                                {"a=>-1", "a|=>|-|1"},
                                {"1*/2", "1|*/|2"},
                                {"a<--x\n1", "a|<|1"},
                                {"a+/*x*/1", "a|+|1"},
                                {"a-/**/-1", "a|-|-|1"},
                                {"x->>1->y", "x|->>|1|->|y"},
                                {"a<=>b ^@ c ~~ d", "a|<=>|b|^@|c|~~|d"},
                                {"7//2", "7|//|2"},
                                {"3!", "3|!"},
                                {"a::int[]", "a|::|int|[|]"},
                                {"f(x:=1, y=>2)", "f|(|x|:=|1|,|y|=>|2|)"},
                                {"[1:-1]", "[|1|:|-|1|]"},
                                {"[:-:1]", "[|:|-|:|1|]"},
                                {"[1::2]", "[|1|::|2|]"},
                                {"{'a':1}", "{|'a'|:|1|}"},
                                {"a<@b", "a|<@|b"}});
}

TEST(Lexer, DuckdbNumbers) {
  expect_rows(Dialect::duckdb, {{"1", "1"},
                                {".5", ".5"},
                                {"1.", "1."},
                                {"1.5e10", "1.5e10"},
                                {"1.e2", "1.e2"},
                                {"1E+5", "1E+5"},
                                {"1e", "1|e"},
                                {"1e+", "1|e|+"},
                                {"1e--x\n2", "1|e|2"},
                                {".e2", ".|e2"},
                                {"1_000", "1_000"},
                                {"1__0", "1|__0"},
                                {"1_", "1|_"},
                                {"100_0.5_5e1_0", "100_0.5_5e1_0"},
                                {"._5", ".|_5"},
                                {"0xff", "0|xff"},
                                {"0b11", "0|b11"},
                                {"1as", "1|as"},
                                {"a.1", "a|.1"},
                                {"1.2.3", "error_number"},
                                {"1..2", "error_number"},
                                {"1e5.3", "error_number"}});
}

TEST(Lexer, DuckdbStringsAndNames) {
  expect_rows(Dialect::duckdb, {{"'a''b'", "'a''b'"},
                                {"'a\\'", "'a\\'"},
                                {"e'a\\'b'", "e'a\\'b'"},
                                {"E'a''b\\\\'", "E'a''b\\\\'"},
                                {"e 'x'", "e|'x'"},
                                {"nae'x'", "nae|'x'"},
                                {"1e'x'", "1|e'x'"},
                                {"x'ff' B'01' n'a'", "x'ff'|B'01'|n'a'"},
                                {"r'a'", "r|'a'"},
                                {"$$a'b$$", "$$a'b$$"},
                                {"$x$a$y$x$", "$x$a$y$x$"},
                                {"$$ a $ b $$c", "$$ a $ b $$|c"},
                                {"$x$ $$x$", "$x$ $$x$"},
                                {"$1$", "$1|error_character"},
                                {"a$b$c$", "a$b$c$"},
                                {"\"a\"\"b\"", "\"a\"\"b\""},
                                {"`a``b`", "`a``b`"},
                                {"\"\"", "error_identifier"},
                                {"\"\"\"\"", "\"\"\"\""},
                                {"u&'x'", "error_ambiguous"},
                                {"U&\"x\"", "error_ambiguous"},
                                {"u & 'x'", "u|&|'x'"},
                                {"'a", "error_string"},
                                {"e'a\\'", "error_string"},
                                {"$$a", "error_string"},
                                {"\"a", "error_identifier"},
                                {"? $1 $name #1", "?|$1|$name|#1"},
                                {"$ a", "error_character"},
                                {"# 1", "error_character"},
                                {"\xc3\xa9t\xc3\xa9 = 1", "\xc3\xa9t\xc3\xa9|=|1"},
                                {"a\\b", "a|error_character"}});
}

TEST(Lexer, DatabricksOperators) {
  expect_rows(Dialect::databricks, {{"5!=-3", "5|!=|-|3"},
                                    {"5%-3", "5|%|-|3"},
                                    {"a||-3", "a||||-|3"},
                                    {"a<=>b", "a|<=>|b"},
                                    {"a!>b !< c", "a|!>|b|!<|c"},
                                    {"a==b", "a|==|b"},
                                    {"t |> select 1", "t||>|select|1"},
                                    {"x->x+1", "x|->|x|+|1"},
                                    {"f(a=>1)", "f|(|a|=>|1|)"},
                                    {"v:a.b::int", "v|:|a|.|b|::|int"},
                                    {"v?::int", "v|?::|int"},
                                    {"a>>1", "a|>>|1"},
                                    {"a>>>1", "a|>>>|1"},
                                    {"array<array<int>>", "array|<|array|<|int|>|>"},
                                    {"map<int,array<int>>>>1", "map|<|int|,|array|<|int|>|>|>>|1"},
                                    {"t@v1", "t|@|v1"},
                                    {"a<--x\n1", "a|<|1"},
                                    {"!a", "!|a"},
                                    {":name ?", ":|name|?"},
                                    {"{", "error_character"},
                                    {"$a", "error_character"},
                                    {"#1", "error_character"}});
}

TEST(Lexer, DatabricksNumbersAndNames) {
  expect_rows(Dialect::databricks, {{"1D 1L 1S 1Y 1F 1BD", "1D|1L|1S|1Y|1F|1BD"},
                                    {"1 D", "1|D"},
                                    {"1.5bd 1e5d .5f", "1.5bd|1e5d|.5f"},
                                    {"1e5L", "1e5L"},
                                    {"1e+5L", "1e+5|L"},
                                    {"1abc", "1abc"},
                                    {"1e5x", "1e5x"},
                                    {"1.5x", "1|.|5x"},
                                    {"1.x", "1|.|x"},
                                    {"1. x", "1.|x"},
                                    {"1._a", "1|.|_a"},
                                    {"1.5e+5x", "1|.|5e+5|x"},
                                    {"1.2.3", "1.2|.3"},
                                    {"t.1e5", "t|.1e5"},
                                    {"1_000", "1_000"},
                                    {"`a``b`", "`a``b`"},
                                    {"``", "``"},
                                    {"`a", "error_identifier"},
                                    {"s3://a-b/c.d?e=f&g#h%i--j k",
                                     "s3|:|/|/|a|-|b|/|c|.|d|?|e|=|f|&|g"
                                     "|error_character"},
                                    {"gs://a--b/c x", "gs://a--b/c|x"},
                                    {"a://", "a|:|/|/"}});
}

TEST(Lexer, DatabricksStringsCommentsHints) {
  expect_rows(Dialect::databricks,
              {{"'a\\'b'", "'a\\'b'"},
               {"'a''b'", "'a''b'"},
               {"\"a\\\"b\"", "\"a\\\"b\""},
               {"\"it's\"", "\"it's\""},
               {"r'a\\' x", "r'a\\'|x"},
               {"R\"a\\\" x", "R\"a\\\"|x"},
               {"r'a''b'", "error_ambiguous"},
               {"var'x'", "var|'x'"},
               {"x'1F' X\"1F\"", "x'1F'|X\"1F\""},
               {"'a\\", "error_string"},
               {"1 -- a\\\n+1", "1"},
               {"1 -- a\\\r\n+1", "1|+|1"},
               {"1 -- a\r+1", "1|+|1"},
               {"1 -- a\\", "1"},
               {"/* a /* b */ c */ 1", "1"},
               {"/* a /*+ b */ 1", "1"},
               {"/* a /* b */", "error_comment"},
               {"select /*+ f(a) */ 1", "select|/*+ f(a) */|1"},
               {"select /*+ f('*/') */ 1", "select|/*+ f('*/') */|1"},
               {"select /*+ f(`*/`) -- */\n */ 1", "select|/*+ f(`*/`) -- */\n */|1"},
               {"select /*+ a /* b */ c */ 1", "select|/*+ a /* b */ c */|1"},
               {"select /*+ a /*+ b */ 1", "select|error_comment"},
               {"select /*+ a", "select|error_comment"}});
}

TEST(Lexer, DuckdbComments) {
  expect_rows(Dialect::duckdb, {{"1 -- a\\\n+1", "1|+|1"},
                                {"1 -- a\r+1", "1|+|1"},
                                {"/* a /* b */ c */ 1", "1"},
                                {"/* a /* b */ 1", "error_comment"},
                                {"/*+ a */ 1", "1"},
                                {"/*/ */ 1", "1"},
                                {"1 /*", "1|error_comment"},
                                {"--", ""},
                                {"/**/", ""}});
}

TEST(Lexer, Kinds) {
  EXPECT_EQ(kinds_of("a \"b\" 'c' e'd' x'0' b'1' n'e' $$f$$ 1 + ( $1", Dialect::duckdb),
            "identifier quoted_identifier string escape_string hex_string bit_string "
            "national_string dollar_string number op punctuation parameter");
  EXPECT_EQ(kinds_of("a `b` 'c' \"d\" r'e' x'0' 1L + ( ? /*+ h */", Dialect::databricks),
            "identifier quoted_identifier string string raw_string hex_string number op "
            "punctuation parameter hint");
  EXPECT_TRUE(is_error(TokenKind::error_character));
  EXPECT_TRUE(is_error(TokenKind::error_limit));
  EXPECT_FALSE(is_error(TokenKind::end));
}

TEST(Lexer, GapFlags) {
  const auto second = [](std::string_view sql, Dialect dialect) {
    return lex(sql, dialect).tokens.at(1);
  };
  for (const Dialect dialect : kBoth) {
    EXPECT_FALSE(second("a(", dialect).space_before);
    EXPECT_TRUE(second("a (", dialect).space_before);
    EXPECT_FALSE(second("a (", dialect).newline_before);
    EXPECT_TRUE(second("a\r(", dialect).newline_before);
    EXPECT_TRUE(second("a--\n(", dialect).newline_before);
    EXPECT_FALSE(second("a--\n(", dialect).block_comment_before);
    EXPECT_TRUE(second("a/**/(", dialect).block_comment_before);
    EXPECT_TRUE(second("a/*\n*/(", dialect).newline_before);
    EXPECT_TRUE(second("a\xc2\xa0(", dialect).odd_space_before);  // no-break space
    EXPECT_TRUE(second("a\v(", dialect).odd_space_before);
    EXPECT_FALSE(second("a\f(", dialect).odd_space_before);
    EXPECT_FALSE(second("a/*\xc2\xa0*/(", dialect).odd_space_before);
  }
  // The spaces of one dialect are letters of the other's names.
  EXPECT_EQ(texts_of("a\xe2\x80\x8b"
                     "b",
                     Dialect::duckdb),
            "a|b");
  EXPECT_EQ(texts_of("a\xe2\x80\x8b"
                     "b",
                     Dialect::databricks),
            "a\xe2\x80\x8b"
            "b");
  EXPECT_EQ(texts_of("a\xe2\x80\xa8"
                     "b",
                     Dialect::databricks),
            "a|b");
  EXPECT_EQ(texts_of("a\xe2\x80\xa8"
                     "b",
                     Dialect::duckdb),
            "a\xe2\x80\xa8"
            "b");
}

TEST(Lexer, RefusesBytesThatAreNoText) {
  for (const Dialect dialect : kBoth) {
    for (const std::string& sql :
         {std::string("select '\0'", 11), std::string("select '\xff'"), std::string("\xc3"),
          std::string("'\xed\xa0\x80'"), std::string("a \x01"), std::string("\x7f")}) {
      const Lexed lexed = lex(sql, dialect);
      EXPECT_FALSE(lexed.ok);
      EXPECT_EQ(lexed.tokens.back().kind, TokenKind::end);
      EXPECT_EQ(lexed.tokens[lexed.tokens.size() - 2].kind, TokenKind::error_character);
    }
  }
}

TEST(Lexer, LimitsAreExact) {
  for (const Dialect dialect : kBoth) {
    const std::string bytes(limits::kSqlBytes, ' ');
    EXPECT_TRUE(lex(bytes, dialect).ok);
    const Lexed long_text = lex(bytes + ' ', dialect);
    EXPECT_EQ(long_text.tokens.front().kind, TokenKind::error_limit);
    const std::string tokens(limits::kSqlTokens, ',');
    EXPECT_EQ(lex(tokens, dialect).tokens.size(), limits::kSqlTokens + 1);
    EXPECT_TRUE(lex(tokens, dialect).ok);
    const Lexed many = lex(tokens + ',', dialect);
    EXPECT_FALSE(many.ok);
    EXPECT_EQ(many.tokens.at(limits::kSqlTokens).kind, TokenKind::error_limit);
  }
}

TEST(Lexer, NameValues) {
  const auto value = [](std::string_view sql, Dialect dialect) {
    return name_value(lex(sql, dialect).tokens.front(), sql);
  };
  EXPECT_EQ(value("Abc", Dialect::duckdb), "Abc");
  EXPECT_EQ(value("\"a\"\"b\"", Dialect::duckdb), "a\"b");
  EXPECT_EQ(value("`a``\"b`", Dialect::databricks), "a`\"b");
  EXPECT_EQ(value("``", Dialect::databricks), "");
}

// Random texts of the characters that matter: every one keeps the invariants, and a token's text
// lexed alone is that token again, so no token hides a gap.
TEST(Lexer, InvariantsHoldOnRandomTexts) {
  constexpr std::string_view kAlphabet[] = {
      "a",  "e", "x",  "u",     "1",   "0",        ".",        "_",  "'",  "\"", "`",  "$",
      "\\", "-", "--", "/*",    "*/",  "/*+",      "*",        "/",  "+",  "=",  "<",  ">",
      "!",  "&", "|",  ":",     "::",  "(",        ")",        ",",  ";",  " ",  "\n", "\r",
      "?",  "#", "@",  "array", "://", "\xc3\xa9", "\xc2\xa0", "\v", "e'", "r'", "$$"};
  std::mt19937 random(7);
  for (int i = 0; i < 8'000; ++i) {
    std::string sql;
    const std::size_t size = random() % 12 + 1;
    for (std::size_t k = 0; k < size; ++k) sql += kAlphabet[random() % std::size(kAlphabet)];
    for (const Dialect dialect : kBoth) {
      const Lexed lexed = lex(sql, dialect);
      ASSERT_EQ(check_tokens(sql, dialect, lexed), "") << sql;
      for (const Token& token : lexed.tokens) {
        if (is_error(token.kind) || token.kind == TokenKind::end) continue;
        const Lexed alone = lex(token.text(sql), dialect);
        if (token.text(sql) == ".") continue;
        ASSERT_EQ(alone.tokens.size(), 2u) << sql << "\n" << token.text(sql);
        ASSERT_EQ(alone.tokens[0].kind, token.kind) << sql << "\n" << token.text(sql);
      }
    }
  }
}

TEST(Words, Classes) {
  EXPECT_EQ(word_class(Dialect::duckdb, "SELECT"), WordClass::reserved);
  EXPECT_EQ(word_class(Dialect::duckdb, "year"), WordClass::unreserved);
  EXPECT_EQ(word_class(Dialect::duckdb, "between"), WordClass::column_name);
  EXPECT_EQ(word_class(Dialect::duckdb, "join"), WordClass::type_function);
  EXPECT_EQ(word_class(Dialect::duckdb, "orders"), WordClass::none);
  EXPECT_EQ(word_class(Dialect::duckdb, ""), WordClass::none);
  EXPECT_EQ(word_class(Dialect::duckdb, std::string(1000, 'a')), WordClass::none);
  EXPECT_EQ(word_class(Dialect::databricks, "Join"), WordClass::strict);
  EXPECT_EQ(word_class(Dialect::databricks, "select"), WordClass::reserved);
  EXPECT_EQ(word_class(Dialect::databricks, "year"), WordClass::unreserved);
  EXPECT_TRUE(is_always_keyword(Dialect::duckdb, WordClass::reserved));
  EXPECT_FALSE(is_always_keyword(Dialect::duckdb, WordClass::type_function));
  for (const WordClass word_class : {WordClass::reserved, WordClass::strict}) {
    EXPECT_FALSE(is_always_keyword(Dialect::databricks, word_class));
  }
}

TEST(Words, Functions) {
  EXPECT_TRUE(is_builtin_function(Dialect::duckdb, "Date_Trunc"));
  EXPECT_FALSE(is_builtin_function(Dialect::duckdb, "my_macro"));
  EXPECT_FALSE(is_builtin_function(Dialect::duckdb, "read_csv"));
  EXPECT_TRUE(is_builtin_function(Dialect::databricks, "named_struct"));
  EXPECT_TRUE(is_pure_table_function(Dialect::duckdb, "UNNEST"));
  EXPECT_FALSE(is_pure_table_function(Dialect::duckdb, "read_csv"));
  EXPECT_FALSE(is_pure_table_function(Dialect::duckdb, "query_table"));
  EXPECT_TRUE(is_pure_table_function(Dialect::databricks, "explode"));
  ASSERT_NE(find_volatile(Dialect::duckdb, "NOW"), nullptr);
  EXPECT_EQ(find_volatile(Dialect::duckdb, "now")->volatility, Volatility::always);
  EXPECT_EQ(find_volatile(Dialect::duckdb, "today")->volatility, Volatility::date);
  EXPECT_EQ(find_volatile(Dialect::duckdb, "user")->form, VolatileForm::bare);
  EXPECT_EQ(find_volatile(Dialect::duckdb, "age")->form, VolatileForm::call1);
  EXPECT_EQ(find_volatile(Dialect::duckdb, "abs"), nullptr);
  EXPECT_EQ(find_volatile(Dialect::databricks, "unix_timestamp")->form, VolatileForm::call0);
  EXPECT_NE(find_volatile(Dialect::databricks, "AI_query"), nullptr);
  EXPECT_EQ(find_volatile(Dialect::databricks, "a"), nullptr);
  EXPECT_EQ(find_volatile(Dialect::databricks, ""), nullptr);
}

}  // namespace
}  // namespace hodor
