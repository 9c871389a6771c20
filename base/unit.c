/* Reads and converts units. See unit.h. Thread: any. Real-time: no. */
#include "base/unit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/number.h"

/* ---- symbols ---- */

#define PI 3.14159265358979323846
#define ZERO_CELSIUS 273.15                  /* K */
#define ZERO_FAHRENHEIT (459.67 * 5.0 / 9.0) /* K */
#define ELEMENTARY_CHARGE 1.602176634e-19    /* C (SI brochure, table 1) */

typedef struct symbol {
    const char *name;
    signed char exponent[WR_UNIT_BASES]; /* kg m s A K mol cd rad */
    signed char has_prefixes;
    double factor, offset;
} symbol;

static const symbol symbols[] = {
    {"m", {0, 1}, 1, 1.0, 0.0},
    {"g", {1}, 1, 1e-3, 0.0},
    {"s", {0, 0, 1}, 1, 1.0, 0.0},
    {"A", {0, 0, 0, 1}, 1, 1.0, 0.0},
    {"K", {0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"mol", {0, 0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"cd", {0, 0, 0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"rad", {0, 0, 0, 0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"sr", {0}, 1, 1.0, 0.0},
    {"Hz", {0, 0, -1}, 1, 1.0, 0.0},
    {"N", {1, 1, -2}, 1, 1.0, 0.0},
    {"Pa", {1, -1, -2}, 1, 1.0, 0.0},
    {"J", {1, 2, -2}, 1, 1.0, 0.0},
    {"W", {1, 2, -3}, 1, 1.0, 0.0},
    {"C", {0, 0, 1, 1}, 1, 1.0, 0.0},
    {"V", {1, 2, -3, -1}, 1, 1.0, 0.0},
    {"F", {-1, -2, 4, 2}, 1, 1.0, 0.0},
    {"Ohm", {1, 2, -3, -2}, 1, 1.0, 0.0},
    {"ohm", {1, 2, -3, -2}, 1, 1.0, 0.0},
    {"\xCE\xA9", {1, 2, -3, -2}, 1, 1.0, 0.0},     /* U+03A9, Greek omega */
    {"\xE2\x84\xA6", {1, 2, -3, -2}, 1, 1.0, 0.0}, /* U+2126, sign of the ohm */
    {"S", {-1, -2, 3, 2}, 1, 1.0, 0.0},
    {"Wb", {1, 2, -2, -1}, 1, 1.0, 0.0},
    {"T", {1, 0, -2, -1}, 1, 1.0, 0.0},
    {"H", {1, 2, -2, -2}, 1, 1.0, 0.0},
    {"lm", {0, 0, 0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"lx", {0, -2, 0, 0, 0, 0, 1}, 1, 1.0, 0.0},
    {"Bq", {0, 0, -1}, 1, 1.0, 0.0},
    {"Gy", {0, 2, -2}, 1, 1.0, 0.0},
    {"Sv", {0, 2, -2}, 1, 1.0, 0.0},
    {"kat", {0, 0, -1, 0, 0, 1}, 1, 1.0, 0.0},
    {"degC", {0, 0, 0, 0, 1}, 0, 1.0, ZERO_CELSIUS},
    {"\xC2\xB0"
     "C",
     {0, 0, 0, 0, 1},
     0,
     1.0,
     ZERO_CELSIUS}, /* U+00B0, sign of a degree */
    {"degF", {0, 0, 0, 0, 1}, 0, 5.0 / 9.0, ZERO_FAHRENHEIT},
    {"min", {0, 0, 1}, 0, 60.0, 0.0},
    {"h", {0, 0, 1}, 0, 3600.0, 0.0},
    {"d", {0, 0, 1}, 0, 86400.0, 0.0},
    {"deg", {0, 0, 0, 0, 0, 0, 0, 1}, 0, PI / 180.0, 0.0},
    {"\xC2\xB0", {0, 0, 0, 0, 0, 0, 0, 1}, 0, PI / 180.0, 0.0},
    {"rev", {0, 0, 0, 0, 0, 0, 0, 1}, 0, 2.0 * PI, 0.0},
    {"rpm", {0, 0, -1, 0, 0, 0, 0, 1}, 0, 2.0 * PI / 60.0, 0.0},
    {"l", {0, 3}, 1, 1e-3, 0.0},
    {"L", {0, 3}, 1, 1e-3, 0.0},
    {"ha", {0, 2}, 0, 1e4, 0.0},
    {"t", {1}, 0, 1e3, 0.0}, /* no prefixes: "ft" and "kt" are other units in many tools */
    {"bar", {1, -1, -2}, 1, 1e5, 0.0},
    {"atm", {1, -1, -2}, 0, 101325.0, 0.0}, /* 10th General Conference (1954), resolution 4 */
    {"eV", {1, 2, -2}, 1, ELEMENTARY_CHARGE, 0.0},
    {"Wh", {1, 2, -2}, 1, 3600.0, 0.0},
    {"Ah", {0, 0, 1, 1}, 1, 3600.0, 0.0},
    {"%", {0}, 0, 1e-2, 0.0},
    {"ppm", {0}, 0, 1e-6, 0.0}};

static const struct {
    const char *name;
    int power; /* of ten */
} prefixes[] = {
    {"da", 1},       {"h", 2},   {"k", 3},   {"M", 6},   {"G", 9},
    {"T", 12},       {"P", 15},  {"E", 18},  {"Z", 21},  {"Y", 24},
    {"R", 27},       {"Q", 30},  {"d", -1},  {"c", -2},  {"m", -3},
    {"u", -6},       {"n", -9},  {"p", -12}, {"f", -15}, {"a", -18},
    {"z", -21},      {"y", -24}, {"r", -27}, {"q", -30}, {"\xC2\xB5", -6} /* U+00B5, micro sign */,
    {"\xCE\xBC", -6} /* U+03BC, Greek mu */};

/* Returns 1 if the n bytes at text are the name. */
static int is_name(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

static const symbol *find_symbol(const char *text, size_t n)
{
    for (size_t i = 0; i < WR_COUNT_OF(symbols); i++)
        if (is_name(symbols[i].name, text, n))
            return &symbols[i];
    return NULL;
}

/* Multiplies by a power of ten. A division by 10^k is exact for more values than a product with 10^-k. */
static double shift(double value, int power)
{
    return power < 0 ? value / pow(10.0, -power) : value * pow(10.0, power);
}

static wr_unit unit_of(const symbol *s, int power)
{
    wr_unit unit = {.factor = shift(s->factor, power), .offset = s->offset};
    for (int i = 0; i < WR_UNIT_BASES; i++)
        unit.exponent[i] = s->exponent[i];
    return unit;
}

/* Reads a symbol of n bytes, with or without a prefix. A symbol without a prefix comes first: "min" is a minute. */
static int read_symbol(const char *text, size_t n, wr_unit *ret)
{
    const symbol *s = find_symbol(text, n);
    if (s) {
        *ret = unit_of(s, 0);
        return 0;
    }
    for (size_t i = 0; i < WR_COUNT_OF(prefixes); i++) {
        const size_t n_prefix = strlen(prefixes[i].name);
        if (n_prefix >= n || memcmp(prefixes[i].name, text, n_prefix) != 0)
            continue;
        s = find_symbol(text + n_prefix, n - n_prefix);
        if (s && s->has_prefixes) {
            *ret = unit_of(s, prefixes[i].power);
            return 0;
        }
    }
    return -1;
}

/* ---- expressions ---- */

enum {
    MOST_EXPONENT = 99,
    MOST_DEPTH = 16
}; /* limits of an exponent and of nested parentheses (assumed) */

typedef struct reader {
    const char *at;
    int depth;
} reader;

static void skip_spaces(reader *r) { r->at += strspn(r->at, " "); }

/* Returns the length of a middle dot (U+00B7 or U+22C5) at the text; 0: no dot. */
static size_t dot_bytes(const char *text)
{
    return strncmp(text, "\xC2\xB7", 2) == 0 ? 2 : strncmp(text, "\xE2\x8B\x85", 3) == 0 ? 3 : 0;
}

static int is_letter(const char *text)
{
    const unsigned char c = (unsigned char)*text;
    return isalpha(c) || c == '%' || (c >= 0x80 && dot_bytes(text) == 0);
}

/* unit = unit * by^power. A product has no offset: a unit such as "J/degC" counts differences of temperatures.
 * Returns 0, or -1 above the limit of exponents. */
static int multiply(wr_unit *unit, const wr_unit *by, int power)
{
    for (int i = 0; i < WR_UNIT_BASES; i++) {
        unit->exponent[i] += power * by->exponent[i];
        if (unit->exponent[i] > MOST_EXPONENT || unit->exponent[i] < -MOST_EXPONENT)
            return -1;
    }
    for (int k = 0; k < power; k++)
        unit->factor *= by->factor;
    for (int k = 0; k > power; k--)
        unit->factor /= by->factor;
    unit->offset = 0.0;
    return 0;
}

/* Reads an exponent such as "2", "-1", "^2", "**(-1)". Returns 0 and the exponent, 1 without an exponent, or -1. */
static int read_exponent(reader *r, int *ret)
{
    const size_t n_mark = strncmp(r->at, "**", 2) == 0 ? 2 : *r->at == '^' ? 1 : 0;
    const char *at = r->at + n_mark;
    const int is_enclosed = n_mark > 0 && *at == '(';
    at += is_enclosed;
    const int is_negative = *at == '-';
    at += *at == '-' || *at == '+';
    if (!isdigit((unsigned char)*at))
        return n_mark > 0 || at > r->at ? -1 : 1;
    int value = 0;
    for (; isdigit((unsigned char)*at); at++) {
        value = 10 * value + (*at - '0');
        if (value > MOST_EXPONENT)
            return -1;
    }
    if (is_enclosed && *at++ != ')')
        return -1;
    r->at = at;
    *ret = is_negative ? -value : value;
    return 0;
}

static int read_expression(reader *r, wr_unit *ret);

/* Reads "1", a symbol with or without an exponent, or an expression in parentheses. */
static int read_factor(reader *r, wr_unit *ret)
{
    wr_unit operand = {.factor = 1.0};
    if (*r->at == '1' && !isdigit((unsigned char)r->at[1])) {
        r->at++;
        *ret = operand;
        return 0;
    }
    if (*r->at == '(') {
        r->at++;
        if (++r->depth > MOST_DEPTH || read_expression(r, &operand) < 0 || *r->at++ != ')')
            return -1;
        r->depth--;
    } else {
        size_t n = 0;
        while (is_letter(r->at + n))
            n++;
        if (n == 0 || read_symbol(r->at, n, &operand) < 0)
            return -1;
        r->at += n;
    }
    int exponent = 1;
    const int rc = read_exponent(r, &exponent);
    if (rc < 0)
        return -1;
    if (rc == 0 && exponent != 1) {
        *ret = (wr_unit){.factor = 1.0};
        return multiply(ret, &operand, exponent);
    }
    *ret = operand;
    return 0;
}

/* Reads factors up to the end or a closing parenthesis. A product after a quotient, such as "W/m2.K", is ambiguous and therefore no
 * unit. */
static int read_expression(reader *r, wr_unit *ret)
{
    int is_quotient = 0;
    skip_spaces(r);
    if (read_factor(r, ret) < 0)
        return -1;
    for (;;) {
        const int has_space = *r->at == ' ';
        skip_spaces(r);
        if (*r->at == '\0' || *r->at == ')')
            return 0;
        const size_t n_dot = dot_bytes(r->at);
        const int is_division = *r->at == '/';
        const int is_product = n_dot > 0 || *r->at == '.' || *r->at == '*';
        if ((!is_division && !is_product && !has_space) || (!is_division && is_quotient))
            return -1;
        is_quotient |= is_division;
        r->at += n_dot > 0 ? n_dot : (size_t)(is_division || is_product);
        skip_spaces(r);
        wr_unit factor;
        /* "1" is only a numerator. In "m2.1" and "m0.5" the digit belongs to an exponent that is no whole number. */
        if (*r->at == '1' || read_factor(r, &factor) < 0 ||
            multiply(ret, &factor, is_division ? -1 : 1) < 0)
            return -1;
    }
}

/* Reads all of a text without a definition. */
static int read_all(const char *text, wr_unit *ret)
{
    reader r = {.at = text};
    *ret = (wr_unit){.factor = 1.0};
    if (strcmp(text, "-") == 0) /* tools write "-" for a number without a unit */
        return 0;
    return read_expression(&r, ret) < 0 || *r.at != '\0' ? -1 : 0;
}

/* ---- definitions ---- */

static const char IS[] = " = ", DIFFERENCE[] = " (difference)";

/* Places in the text of a unit. */
typedef struct parts {
    size_t n_name;
    const char *definition,
        *end; /* definition NULL: none; end: of the unit without " (difference)" */
    int is_difference;
} parts;

static parts split(const char *text)
{
    const size_t n = strlen(text), n_mark = sizeof DIFFERENCE - 1;
    parts p = {.end = text + n};
    if (n > n_mark && strcmp(p.end - n_mark, DIFFERENCE) == 0) {
        p.is_difference = 1;
        p.end -= n_mark;
    }
    for (const char *at = strstr(text, IS); at && at < p.end; at = strstr(at + 1, IS))
        p.definition = at + sizeof IS - 1; /* the last one: a name may contain " = " */
    p.n_name = (size_t)((p.definition ? p.definition - (sizeof IS - 1) : p.end) - text);
    return p;
}

/* Reads "FACTOR UNIT + OFFSET" or "FACTOR UNIT - OFFSET". May write to the text. */
static int read_definition(char *text, wr_unit *ret)
{
    double factor, offset = 0.0;
    const size_t n_factor = strcspn(text, " ");
    char *rest = text + n_factor, *sign = strstr(rest, " + ");
    if (!sign)
        sign = strstr(rest, " - ");
    if (!wr_number_parse(text, rest, &factor) ||
        (sign && !wr_number_parse(sign + 3, sign + strlen(sign), &offset)))
        return -1;
    const double direction = sign && sign[1] == '-' ? -1.0 : 1.0;
    if (sign)
        *sign = '\0';
    rest += *rest == ' ';
    if (read_all(*rest ? rest : "1", ret) < 0 || ret->offset < 0.0 || ret->offset > 0.0)
        return -1;
    ret->offset = direction * offset * ret->factor;
    ret->factor *= factor;
    return 0;
}

int wr_unit_read(const char *text, wr_unit *ret)
{
    static const double LEAST = 1e-150,
                        MOST = 1e150; /* quotients of two factors are finite and not 0 (assumed) */
    enum { MOST_BYTES = 255 }; /* of a unit without a definition, or of a definition (assumed) */
    const parts p = split(text);
    const char *const begin = p.definition ? p.definition : text;
    const size_t n = (size_t)(p.end - begin);
    char part[MOST_BYTES + 1];
    wr_unit unit;
    if (n > MOST_BYTES)
        return -1;
    memcpy(part, begin, n);
    part[n] = '\0';
    if ((p.definition ? read_definition(part, &unit) : read_all(part, &unit)) < 0 ||
        !(fabs(unit.factor) >= LEAST && fabs(unit.factor) <= MOST && fabs(unit.offset) <= MOST))
        return -1;
    unit.is_difference = p.is_difference;
    if (p.is_difference)
        unit.offset = 0.0;
    *ret = unit;
    return 0;
}

/* ---- use ---- */

/* Largest relative difference of two numbers that counts as rounding (assumed), for example between "J" and "N.m". */
static const double ROUNDING = 1e-14;

static int is_near(double a, double b) { return fabs(a - b) <= ROUNDING * fmax(fabs(a), fabs(b)); }

const char *wr_unit_text(const wr_unit *unit, char ret_text[WR_UNIT_TEXT_BYTES])
{
    static const char *const names[WR_UNIT_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    size_t n = 0;
    ret_text[0] = '\0';
    for (int i = 0; i < WR_UNIT_BASES; i++) {
        const int e = unit->exponent[i];
        if (e == 0 || n >= WR_UNIT_TEXT_BYTES)
            continue;
        char power[16] = "";
        if (e != 1)
            snprintf(power, sizeof power, "%d", e);
        n += (size_t)snprintf(ret_text + n, WR_UNIT_TEXT_BYTES - n, "%s%s%s", n > 0 ? "." : "",
                              names[i], power);
    }
    if (n == 0)
        snprintf(ret_text, WR_UNIT_TEXT_BYTES, "1");
    return ret_text;
}

static int is_same(const wr_unit *a, const wr_unit *b)
{
    return memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0 &&
           is_near(a->factor, b->factor) && is_near(a->offset, b->offset);
}

void wr_unit_settle(const char *name, wr_unit *definition)
{
    wr_unit known, own = *definition;
    if (wr_unit_read(name, &known) < 0)
        return;
    if (own.exponent[WR_UNIT_RADIAN] == 0)
        own.exponent[WR_UNIT_RADIAN] = known.exponent[WR_UNIT_RADIAN];
    if (is_same(&own, &known))
        *definition = known;
}

int wr_unit_define(const char *name, const wr_unit *definition, int is_difference, char *ret_text,
                   size_t n_bytes)
{
    const char *const mark = is_difference ? DIFFERENCE : "";
    wr_unit known;
    if (!definition || (wr_unit_read(name, &known) == 0 && is_same(definition, &known)))
        return snprintf(ret_text, n_bytes, "%s%s", name, mark);
    char dimension[WR_UNIT_TEXT_BYTES], factor[WR_NUMBER_CAP], offset[WR_NUMBER_CAP];
    wr_unit_text(definition, dimension);
    wr_number_print(definition->factor, factor);
    wr_number_print(fabs(definition->offset), offset);
    const int has_unit = strcmp(dimension, "1") != 0;
    const int has_offset = !is_difference && fabs(definition->offset) > 0.0;
    return snprintf(ret_text, n_bytes, "%s%s%s%s%s%s%s%s", name, IS, factor, has_unit ? " " : "",
                    has_unit ? dimension : "",
                    !has_offset                ? ""
                    : definition->offset < 0.0 ? " - "
                                               : " + ",
                    has_offset ? offset : "", mark);
}

wr_unit_match wr_unit_compare(const wr_unit *from, const wr_unit *to, wr_unit_scale *ret)
{
    *ret = (wr_unit_scale){0.0, 0.0};
    if (memcmp(from->exponent, to->exponent, sizeof from->exponent) != 0)
        return WR_UNIT_OTHER_DIMENSION;
    if (from->is_difference != to->is_difference &&
        fabs(from->is_difference ? to->offset : from->offset) > 0.0)
        return WR_UNIT_DIFFERENCE;
    const int is_equal = is_near(from->factor, to->factor);
    const int has_offset = !is_near(from->offset, to->offset);
    if (!is_equal || has_offset)
        *ret = (wr_unit_scale){is_equal ? 1.0 : from->factor / to->factor,
                               has_offset ? (from->offset - to->offset) / to->factor : 0.0};
    return WR_UNIT_FITS;
}

wr_unit_match wr_unit_convert(const char *from, const char *to, wr_unit_scale *ret)
{
    wr_unit a, b;
    *ret = (wr_unit_scale){0.0, 0.0};
    if (!from || !to || !*from || !*to || strcmp(from, to) == 0)
        return WR_UNIT_FITS;
    const int is_read[] = {wr_unit_read(from, &a) == 0, wr_unit_read(to, &b) == 0};
    if (is_read[0] && is_read[1])
        return wr_unit_compare(&a, &b, ret);
    const parts p = split(from), q = split(to);
    const int is_bare = (!is_read[0] && !p.definition) || (!is_read[1] && !q.definition);
    return is_bare && p.n_name == q.n_name && memcmp(from, to, p.n_name) == 0 ? WR_UNIT_FITS
                                                                              : WR_UNIT_UNREADABLE;
}
