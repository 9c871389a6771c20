/* toml++ behind a C interface. See toml.h.
 *
 * Before toml++ gets the text, a scan refuses constructs on which toml++ 3.3 crashes, found by fuzzing:
 *   - deep nesting: toml++ limits values, but freeing the tree of a dotted key with a million parts overflows the
 *     stack;
 *   - non-ASCII characters where toml++ tests for white space, that is outside of quotes and after a backslash at
 *     the end of a line in a multi-line string. For many such characters is_non_ascii_horizontal_whitespace reaches
 *     code marked unreachable.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/config/toml.h"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

/* Assertions are off, as in Debian's library, because the parser reports the faults of a text after an assertion. */
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

#include "base/number.h"

namespace
{

struct reader {
    const char *file;
    wr_heap_pool *memory;
    wr_diag *diag;
};

void complain(const reader &r, int line, int column, const char *text)
{
    const wr_where where = {r.file, line, column};
    wr_diag_add(r.diag, WRSIM_E_CONFIG, &where, "%s", text);
}

wr_where place_of(const reader &r, const toml::source_region &region)
{
    return wr_where{r.file, static_cast<int>(region.begin.line),
                    static_cast<int>(region.begin.column)};
}

/* Scans strings and comments as a TOML reader does, and finds constructs on which toml++ crashes. After the first error in the text the
 * scan may differ from toml++, which stops at that error. */
class scanner
{
  public:
    scanner(const reader &r, std::string_view text) : r_(r), text_(text)
    {
        if (text_.substr(0, 3) == "\xef\xbb\xbf") /* a byte order mark, which toml++ skips */
            begin_ = i_ = i_line_ = 3;
    }

    bool is_safe()
    {
        while (i_ < text_.size()) {
            const char c = text_[i_];
            if (c == '"' || c == '\'') {
                if (!check_string())
                    return false;
            } else if (c == '#') {
                while (i_ < text_.size() && text_[i_] != '\n')
                    i_++;
            } else if (!check_character(c)) {
                return false;
            } else {
                step();
            }
        }
        return true;
    }

  private:
    static bool is_one_of(char c, std::string_view set)
    {
        return set.find(c) != std::string_view::npos;
    }
    /* Returns true for the most frequent characters, which change neither depth_ nor n_dots_. */
    static bool is_plain(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ' || c == '_' ||
               (c >= 'A' && c <= 'Z');
    }
    static bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

    /* Advances by one byte. */
    void step()
    {
        if (text_[i_] == '\n') {
            line_++;
            i_line_ = i_ + 1;
        }
        i_++;
    }

    void skip(size_t n_bytes)
    {
        for (const size_t end = i_ + n_bytes; i_ < end && i_ < text_.size();)
            step();
    }

    bool refuse(const char *why)
    {
        complain(r_, line_, static_cast<int>(i_ - i_line_) + 1, why);
        return false;
    }

    /* Checks a character outside strings and comments. */
    bool check_character(char c)
    {
        if (is_plain(c))
            return true;
        if (!is_ascii(c))
            return refuse("a character outside of quotes is not ASCII; put the text into quotes");
        if (c >= 0 && c < ' ' && !is_one_of(c, "\t\r\n"))
            return refuse("the text is not valid TOML: a control character is outside of quotes; "
                          "remove the character");
        if (c == '[' || c == '{')
            depth_++;
        if ((c == ']' || c == '}') && depth_ > 0)
            depth_--;
        if (c == '.')
            n_dots_++;
        else if (is_one_of(c, ",=[]{}\n"))
            n_dots_ = 0;
        if (depth_ > WR_TOML_MAX_DEPTH)
            return refuse("brackets are nested more than 32 deep; use at most 32 levels");
        if (n_dots_ > WR_TOML_MAX_DOTS)
            return refuse("a key has more than 16 dots; use at most 16 dots");
        return true;
    }

    /* Returns true if a quote at i clearly begins a string. toml++ reads a number or word beyond quotes, up to a space, comma or bracket.
     * So only a quote after such a character begins a string; the test skips opening brackets. */
    bool has_clear_start(size_t i) const
    {
        while (i > begin_ && is_one_of(text_[i - 1], "[{"))
            i--;
        return i == begin_ || is_one_of(text_[i - 1], " \t\r\n,]}");
    }

    bool check_string()
    {
        const size_t start = i_, i_line = i_line_;
        const int line = line_;
        if (!skip_string())
            return false;
        const std::string_view string = text_.substr(start, i_ - start);
        if (std::all_of(string.begin(), string.end(), is_ascii) || has_clear_start(start))
            return true;
        i_ = start;
        i_line_ = i_line;
        line_ = line;
        return refuse(
            "a string with characters beyond ASCII needs a space before its quote; add the space");
    }

    /* Skips the string at the present place. An unfinished string ends with the line, or with the text if the string may have several
     * lines. toml++ reports such a string. */
    bool skip_string()
    {
        const char quote = text_[i_];
        const std::string three(3, quote);
        if (text_.substr(i_, 3) == three)
            return skip_long_string(quote, three);
        step();
        while (i_ < text_.size() && text_[i_] != quote && text_[i_] != '\n')
            skip(text_[i_] == '\\' && quote == '"' ? 2 : 1);
        skip(1);
        return true;
    }

    bool skip_long_string(char quote, const std::string &three)
    {
        bool has_backslash = false, has_other = false;
        skip(3);
        while (i_ < text_.size() && text_.substr(i_, 3) != three) {
            const bool is_escape = text_[i_] == '\\' && quote == '"';
            has_backslash |= is_escape;
            has_other |= !is_ascii(text_[i_]) ||
                         (is_escape && i_ + 1 < text_.size() && !is_ascii(text_[i_ + 1]));
            if (has_backslash && has_other)
                return refuse("a string in \"\"\" with a backslash must be ASCII; write other "
                              "characters as \\uXXXX, or use '''");
            skip(is_escape ? 2 : 1);
        }
        skip(3);
        /* Up to two more quotes belong to the string. */
        for (int extra = 0; extra < 2 && i_ < text_.size() && text_[i_] == quote; extra++)
            step();
        return true;
    }

    const reader &r_;
    std::string_view text_;
    size_t begin_ = 0, i_ = 0, i_line_ = 0;
    int line_ = 1, depth_ = 0, n_dots_ = 0;
};

const char *copy_text(const reader &r, std::string_view text)
{
    return wr_heap_pool_text(r.memory, text.data(), text.size());
}

wr_toml *convert(const reader &r, const toml::node &node, int depth);

void append(wr_toml *parent, wr_toml *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->n_children++;
}

bool convert_array(const reader &r, const toml::array &array, wr_toml *ret, int depth)
{
    for (const toml::node &item : array) {
        wr_toml *const child = convert(r, item, depth + 1);
        if (!child)
            return false;
        child->where_key = child->where;
        append(ret, child);
    }
    return true;
}

bool convert_table(const reader &r, const toml::table &table, wr_toml *ret, int depth)
{
    std::vector<wr_toml *> children;
    for (const auto &[key, value] : table) {
        const wr_where where_key = place_of(r, key.source());
        if (key.str().find('\0') != std::string_view::npos) {
            complain(r, where_key.line, where_key.column, "a key must not contain a NUL character");
            return false;
        }
        wr_toml *const child = convert(r, value, depth + 1);
        if (!child || !(child->key = copy_text(r, key.str())))
            return false;
        child->where_key = where_key;
        children.push_back(child);
    }
    /* toml++ sorts by key, but the reader reports errors in the order of the file. */
    std::stable_sort(children.begin(), children.end(), [](const wr_toml *a, const wr_toml *b) {
        return a->where_key.line != b->where_key.line ? a->where_key.line < b->where_key.line
                                                      : a->where_key.column < b->where_key.column;
    });
    for (wr_toml *child : children)
        append(ret, child);
    return true;
}

bool convert_string(const reader &r, const std::string &text, wr_toml *ret)
{
    ret->kind = WR_TOML_STRING;
    if (text.find('\0') != std::string::npos) {
        complain(r, ret->where.line, ret->where.column,
                 "a string must not contain a NUL character (\\u0000)");
        return false;
    }
    ret->string = copy_text(r, text);
    return ret->string != nullptr;
}

/* Returns NULL after an error, or when out of memory. */
wr_toml *convert(const reader &r, const toml::node &node, int depth)
{
    const wr_where where = place_of(r, node.source());
    if (depth > WR_TOML_MAX_DEPTH) {
        complain(r, where.line, where.column,
                 "tables are nested more than 32 deep; use at most 32 levels");
        return nullptr;
    }
    auto *const ret = static_cast<wr_toml *>(wr_heap_pool_take(r.memory, 1, sizeof(wr_toml)));
    if (!ret)
        return nullptr;
    ret->where = ret->where_key = where;
    if (const auto *const table = node.as_table()) {
        ret->kind = WR_TOML_TABLE;
        return convert_table(r, *table, ret, depth) ? ret : nullptr;
    }
    if (const auto *const array = node.as_array()) {
        ret->kind = WR_TOML_ARRAY;
        return convert_array(r, *array, ret, depth) ? ret : nullptr;
    }
    if (const auto *const string = node.as_string())
        return convert_string(r, string->get(), ret) ? ret : nullptr;
    ret->kind = WR_TOML_TIME;
    if (const auto *const integer = node.as_integer()) {
        ret->kind = WR_TOML_INTEGER;
        ret->integer = integer->get();
        ret->real = static_cast<double>(integer->get());
    } else if (const auto *const real = node.as_floating_point()) {
        ret->kind = WR_TOML_REAL;
        ret->real = real->get();
    } else if (const auto *const flag = node.as_boolean()) {
        ret->kind = WR_TOML_FLAG;
        ret->integer = flag->get();
    }
    return ret;
}

/* Returns the value around an error if the value has no quotes; else an empty text. */
std::string_view value_at(std::string_view text, const toml::source_position &at)
{
    size_t begin = 0;
    for (toml::source_index line = 1; line < at.line && begin < text.size(); line++)
        begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    std::string_view line = text.substr(begin, text.substr(begin).find('\n'));
    const size_t i_error = at.column > 0 ? at.column - 1 : 0;
    size_t before = std::string_view::npos;
    for (const char *const opener : {"=", "[", ", "}) {
        const size_t at_opener = line.substr(0, i_error).rfind(opener);
        if (before == std::string_view::npos ||
            (at_opener != std::string_view::npos && at_opener > before))
            before = at_opener;
    }
    if (before == std::string_view::npos)
        return {};
    const size_t first = line.find_first_not_of(" \t", before + 1);
    if (first == std::string_view::npos)
        return {};
    size_t end = line.find_first_of("#]}\r\"'", first);
    if (end != std::string_view::npos && (line[end] == '"' || line[end] == '\''))
        return {};
    end = std::min({end, line.find(", ", first), line.size()});
    end = line.find_last_not_of(" \t", end - 1) + 1;
    return i_error <= end ? line.substr(first, end - first) : std::string_view();
}

/* Returns true if the text is a valid number. An error at a valid number comes from a lack of memory, which toml++ reports like an invalid
 * number. */
bool is_number(std::string_view number)
{
    std::string digits(number);
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    double value;
    return wr_number_parse(digits.data(), digits.data() + digits.size(), &value) != 0;
}

/* Returns true if a value without quotes is a text, such as a name or a path. */
bool is_text(std::string_view value)
{
    static const char *const words[] = {"true", "false", "inf", "nan"};
    static const char LOWER_CASE = 0x20;
    std::string lower(value);
    for (char &c : lower)
        c = static_cast<char>(c | LOWER_CASE);
    return (lower.find_first_of("abcdefghijklmnopqrstuvwxyz/") == 0 || value.substr(0, 1) == "_" ||
            value.substr(0, 2) == "./" || value.substr(0, 2) == "..") &&
           std::none_of(std::begin(words), std::end(words),
                        [&](const char *word) { return lower == word; });
}

/* Returns the description of a parse error. For a number or a text without quotes, the description quotes the whole value instead of one
 * character. */
std::string describe(std::string_view text, const toml::parse_error &error)
{
    static const char *const of_numbers[] = {"parsing floating-point", "integer: expected",
                                             "integer: leading", "expected a comment"};
    static const char *const of_texts[] = {"determine value type", "parsing boolean",
                                           "floating-point", "begin with underscores",
                                           "expected a comment"};
    enum { MAX_QUOTED = 40 };
    const std::string_view reason = error.description();
    const auto is_in_reason = [&](const char *part) {
        return reason.find(part) != std::string_view::npos;
    };
    const std::string_view value = value_at(text, error.source().begin);
    if (value.size() <= MAX_QUOTED && is_text(value) &&
        std::any_of(std::begin(of_texts), std::end(of_texts), is_in_reason))
        return "the text is not valid TOML: '" + std::string(value) + "' has no quotes; write \"" +
               std::string(value) + "\"";
    const std::string_view number =
        value.find_first_of("+-.0123456789") == 0 &&
                std::any_of(std::begin(of_numbers), std::end(of_numbers), is_in_reason)
            ? value
            : std::string_view();
    if (reason.find("expected '=', saw '['") != std::string_view::npos ||
        reason.find("expected '=', saw '('") != std::string_view::npos)
        return "the text is not valid TOML: a bracket is in a key; write the key in quotes, such "
               "as \"a[1]\"";
    if (reason.find("unescaped control characters") != std::string_view::npos)
        return "the text is not valid TOML: a string has no closing quote in its line, or has a "
               "control character; correct the string";
    const bool is_table = reason.find("redefine existing table") != std::string_view::npos;
    if (number.empty() || number.size() > MAX_QUOTED)
        return "the text is not valid TOML: " + std::string(reason) +
               (is_table
                    ? "; join the tables, or write each with double brackets, like [[connection]]"
                    : "; correct the text here");
    if (reason.find("could not be interpreted") != std::string_view::npos && is_number(number))
        throw std::bad_alloc();
    return "the text is not valid TOML: '" + std::string(number) +
           "' is not a number; " WR_TOML_NUMBER_HINT;
}

wr_toml *parse(const reader &r, const char *text, size_t text_bytes)
{
    try {
        const std::string_view view(text_bytes > 0 ? text : "", text_bytes);
        if (view.size() > WR_TOML_MAX_BYTES) {
            complain(r, 0, 0, "the config is larger than 16 MiB; check the name of the file");
            return nullptr;
        }
        if (!scanner(r, view).is_safe())
            return nullptr;
        const toml::table root = toml::parse(view);
        wr_toml *const tree = convert(r, root, 0);
        if (!tree && wr_heap_pool_is_short(r.memory))
            wr_diag_add(r.diag, WRSIM_E_MEMORY, nullptr, "out of memory while reading the config");
        return tree;
    } catch (const toml::parse_error &error) {
        const std::string text_of = describe(std::string_view(text, text_bytes), error);
        complain(r, static_cast<int>(error.source().begin.line),
                 static_cast<int>(error.source().begin.column), text_of.c_str());
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &error) {
        complain(r, 0, 0, error.what());
    } catch (...) {
        complain(r, 0, 0,
                 "the TOML reader toml++ failed for an unknown reason; simplify the config");
    }
    return nullptr;
}

} // namespace

wr_toml *wr_toml_parse(const char *text, size_t text_bytes, const char *file, wr_heap_pool *memory,
                       wr_diag *diag)
{
    try {
        return parse(reader{file, memory, diag}, text, text_bytes);
    } catch (const std::bad_alloc &) { /* also while an error is described */
        wr_diag_add(diag, WRSIM_E_MEMORY, nullptr, "out of memory while reading the config");
        return nullptr;
    }
}
