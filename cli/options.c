/* See options.h. Thread: main. Real-time: no. */
#include "cli/options.h"

#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/toml_string.h"
#include "base/utf8.h"
#include "offline/point_cost.h"

/* MAX_ROWS: largest number of options of a command, the bits of wr_arguments.given. FIRST + i: getopt's value of row i without a letter,
 * above all letters. */
enum { MAX_ROWS = 64, FIRST = 256 };

typedef struct parser {
    const wr_command *command;
    wr_arguments *to;
    char *why;
} parser;

__attribute__((format(printf, 2, 3))) static int refuse(const parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, WR_OPTION_WHY_BYTES, format, args);
    va_end(args);
    return -1;
}

static int is_whole(const wr_option *o) { return o->kind == WR_OPTION_COUNT; }

/* Parses a number that ends at end. Returns 0, or -1 if the text is no number. */
static int number_of(const char *text, const char *end, double *ret)
{
    char *stop;
    errno = 0;
    *ret = strtod(text, &stop);
    return stop != end || stop == text || errno || isnan(*ret) ? -1 : 0;
}

static int set_number(const parser *p, const wr_option *o, const char *text, void *to)
{
    double value;
    const int may_be_auto = is_whole(o) && strstr(o->value, "|auto");
    if (may_be_auto && strcmp(text, "auto") == 0) {
        *(int *)to = 0;
        return 0;
    }
    if (number_of(text, text + strlen(text), &value) < 0 ||
        !(value >= o->low && value <= o->high) || (is_whole(o) && value != floor(value)))
        return o->low > 0.0 && o->low <= DBL_MIN
                   ? refuse(p, "--%s takes a finite number above 0, not '%s'", o->name, text)
               : isinf(o->low) ? refuse(p, "--%s takes a number, not '%s'", o->name, text)
               : isinf(o->high)
                   ? refuse(p, "--%s takes a number of at least %g, not '%s'", o->name, o->low,
                            text)
                   : refuse(p, "--%s takes %sa %s from %g to %g, not '%s'", o->name,
                            may_be_auto ? "auto or " : "", is_whole(o) ? "whole number" : "number",
                            o->low, o->high, text);
    if (is_whole(o))
        *(int *)to = (int)value;
    else
        *(double *)to = value;
    return 0;
}

static int set_list(const parser *p, const wr_option *o, const char *text, wr_option_numbers *list)
{
    list->n = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *const end = at + strcspn(at, ",");
        if (list->n == WR_OPTION_NUMBERS)
            return refuse(p, "--%s takes at most %d numbers", o->name, WR_OPTION_NUMBERS);
        if (number_of(at, end, &list->value[list->n++]) < 0 || isinf(list->value[list->n - 1]))
            return refuse(p, "--%s takes finite numbers separated by commas, not '%s'", o->name,
                          text);
    }
    return 0;
}

static int check_word(const parser *p, const wr_option *o, const char *text)
{
    int n = 0;
    char hint[WR_NAMES_HINT_BYTES];
    const char *const *const words = o->words();
    for (; words[n]; n++)
        if (strcmp(words[n], text) == 0)
            return 0;
    return refuse(p, "--%s does not take '%s'; %s", o->name, text,
                  wr_names_hint(text, words, n, hint));
}

/* Checks that the extension of a file's name, "" excepted, is one of the option's words. */
static int check_extension(const parser *p, const wr_option *o, const char *file)
{
    const char *const slash = strrchr(file, '/');
    const char *const dot = strrchr(slash ? slash + 1 : file, '.');
    char known[128] = "";
    if (!*file)
        return 0;
    for (const char *const *word = o->words(); *word; word++) {
        const size_t n = strlen(known);
        if (dot && strcasecmp(dot + 1, *word) == 0)
            return 0;
        snprintf(known + n, sizeof known - n, "%s.%s", n ? ", " : "", *word);
    }
    return refuse(p, "--%s '%s' has %s%s%s; choose one of %s", o->name, file,
                  dot ? "the unknown extension '" : "no extension", dot ? dot : "", dot ? "'" : "",
                  known);
}

/* The command line of the program, for wr_arguments_place(); NULL: none. */
static const wr_arguments *present;

/* Adds an override from malloc, which the option o has made of a value. */
static void add_owned(wr_arguments *to, const wr_option *o, const char *value, char *text)
{
    to->owned_option[to->n_owned] = o->name;
    to->owned_value[to->n_owned] = value;
    to->override[to->n_override++] = to->owned[to->n_owned++] = text;
    present = to;
}

const char *wr_arguments_place(const char *place, char *ret, size_t n_bytes)
{
    static const char prefix[] = "-D ";
    const size_t n = sizeof prefix - 1;
    for (int i = 0; present && strncmp(place, prefix, n) == 0 && i < present->n_owned; i++)
        if (strcmp(place + n, present->owned[i]) == 0) {
            snprintf(ret, n_bytes, "--%s %s", present->owned_option[i], present->owned_value[i]);
            return ret;
        }
    return place;
}

/* Adds the override key = "value", quoted as a TOML string. Returns 0, or -1 on failure. */
static int add_quoted(const parser *p, const wr_option *o, const char *value)
{
    wr_arguments *const to = p->to;
    if (!wr_utf8_is_valid(value))
        return refuse(p, "the name '%s' is not UTF-8; choose another name", value);
    char *const text = malloc(strlen(o->key) + 1 + WR_TOML_STRING_BYTES(strlen(value)));
    if (!text)
        return refuse(p, "out of memory for options");
    wr_toml_string(value, text + sprintf(text, "%s=", o->key));
    add_owned(to, o, value, text);
    return 0;
}

static int set_option(const parser *p, const wr_option *o, const char *text)
{
    wr_arguments *const to = p->to;
    void *const member = (char *)to + o->at;
    if (o->kind == WR_OPTION_FILE && !*text)
        return refuse(p, "--%s takes the name of a %s, not ''", o->name,
                      strcmp(o->value, "DIR") == 0 ? "folder" : "file");
    if ((o->kind == WR_OPTION_CHOICE || (o->kind == WR_OPTION_REPEAT && o->words)) &&
        check_word(p, o, text) != 0)
        return -1;
    switch (o->kind) {
    case WR_OPTION_FLAG:
        *(int *)member = 1;
        return 0;
    case WR_OPTION_TEXT:
    case WR_OPTION_FILE:
    case WR_OPTION_CHOICE:
        *(const char **)member = text;
        return 0;
    case WR_OPTION_LIST:
        return set_list(p, o, text, member);
    case WR_OPTION_REPEAT: {
        wr_option_texts *const list = member;
        if (list->n == WR_OPTION_WORDS)
            return refuse(p, "--%s takes at most %d values", o->name, WR_OPTION_WORDS);
        list->text[list->n++] = text;
        return 0;
    }
    case WR_OPTION_COST: {
        char override[WR_POINT_COST_BYTES];
        const char *const why = wr_point_cost_override(text, override);
        if (why)
            return refuse(p, "--%s '%s' %s", o->name, text, why);
        if (to->n_override == WR_OPTION_OVERRIDES)
            return refuse(
                p, "-D and --cost take at most %d overrides; set the other keys in the config",
                WR_OPTION_OVERRIDES);
        char *const owned = strdup(override);
        if (!owned)
            return refuse(p, "out of memory for options");
        add_owned(to, o, text, owned);
        return 0;
    }
    case WR_OPTION_OVERRIDE:
        if (to->n_override == WR_OPTION_OVERRIDES)
            return refuse(p, "-D takes at most %d overrides; set the other keys in the config",
                          WR_OPTION_OVERRIDES);
        if (o->words && check_extension(p, o, text) != 0)
            return -1;
        if (o->key && o->value)
            return add_quoted(p, o, text);
        to->override[to->n_override++] = o->key ? o->key : text;
        return 0;
    default:
        return set_number(p, o, text, member);
    }
}

const wr_option *wr_option_find(const wr_command *command, const char *name, size_t n)
{
    for (const wr_option *o = command->option; o->name; o++)
        if (strncmp(o->name, name, n) == 0 && !o->name[n])
            return o;
    return NULL;
}

/* Reports an unusable word. c: ':' if a value is missing, else '?'. word: the word at which getopt_long has stopped; for a letter among
 * others ("-xq"), the previous word. */
static int refuse_word(const parser *p, int c, const char *word)
{
    char text[64];
    const char *names[MAX_ROWS] = {"help"};
    const int n_word = (int)strcspn(word, "=");
    int n = 1;
    if (c == ':')
        return refuse(p, "option '%s' needs a value", word);
    for (const wr_option *o = p->command->option; o->name && n < MAX_ROWS; o++)
        names[n++] = o->name;
    for (int i = 0; p->command->form && p->command->form[i]; i++) /* "partition --groups" */
        for (const wr_option *o = p->command->form[i]->option; o->name && n < MAX_ROWS; o++)
            names[n++] = o->name;
    const wr_command *const parent = p->to->parent;
    for (const wr_option *o = parent ? parent->option : NULL; o && o->name && n < MAX_ROWS; o++)
        names[n++] = o->name;
    if (optopt >= FIRST || (optopt && strncmp(word, "--", 2) == 0 && word[n_word]))
        return refuse(p, "option '%.*s' takes no value; remove '=' and the text behind it", n_word,
                      word);
    if (optopt)
        snprintf(text, sizeof text, "-%c", optopt);
    else
        snprintf(text, sizeof text, "%.*s", n_word, word);
    const char *const nearest = optopt ? NULL : wr_names_nearest(text + 2, names, n);
    if (nearest && strcmp(nearest, text + 2) == 0)
        return refuse(p, "'%s' takes no option '%s', but another form of the command does",
                      p->command->name, text);
    const int has_keys = wr_option_find(p->command, "define", 6) != NULL;
    return refuse(p, "'%s' takes no option '%s'%s%s%s", p->command->name, text,
                  nearest    ? "; did you mean '--"
                  : has_keys ? "; set a key of the config by -D KEY=VALUE"
                             : "",
                  nearest ? nearest : "", nearest ? "'?" : "");
}

const char *wr_arguments_given(const wr_arguments *arguments, const char *names)
{
    const wr_command *const command = arguments->command;
    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        const wr_option *const o = wr_option_find(command, names, n);
        if (o && arguments->given >> (o - command->option) & 1)
            return o->name;
    }
    return NULL;
}

/* Checks which options need or exclude other options, and the number of operands. Returns 0, or -1 after a refusal. */
static int check_together(const parser *p)
{
    const wr_command *const c = p->command;
    for (const wr_option *o = c->option; o->name; o++) {
        if (!(p->to->given >> (o - c->option) & 1))
            continue;
        const char *const other = o->excludes ? wr_arguments_given(p->to, o->excludes) : NULL;
        if (other)
            return refuse(p, "--%s and --%s exclude one another; remove one of them", o->name,
                          other);
        const wr_option *const needed =
            o->needs ? wr_option_find(c, o->needs, strlen(o->needs)) : NULL;
        if (needed && !wr_arguments_given(p->to, o->needs))
            return refuse(p, "--%s needs --%s%s%s", o->name, needed->name, needed->value ? " " : "",
                          needed->value ? needed->value : "");
    }
    const int n = p->to->n_operand;
    if (n < c->min_operand) {
        char operands[64];
        snprintf(operands, sizeof operands, "%s", c->operands);
        for (char *line; (line = strchr(operands, '\n')) != NULL;)
            *line = '|';
        return refuse(p, "'%s' needs %s%s%s%s", c->name, operands, n > 0 ? ", and has only '" : "",
                      n > 0 ? p->to->operand[0] : "", n > 0 ? "'" : "");
    }
    if (n <= c->max_operand)
        return 0;
    const char *const word = p->to->operand[c->max_operand];
    const int is_key =
        wr_option_find(c, "define", 6) && (p->to->n_override > 0 || strchr(word, '='));
    const char *const dot = strrchr(word, '.');
    return refuse(
        p, "'%s' takes %s; remove '%s'%s", c->name, *c->operands ? c->operands : "no operand", word,
        is_key                            ? ", or write a key in one word, -D KEY=VALUE"
        : dot && strcmp(dot, ".fmu") == 0 ? ", or name each FMU in a [[component]] of a config"
                                          : "");
}

/* Returns 1 if the word is the name or the letter of an option. */
static int is_option(const wr_command *command, const char *word)
{
    if (word[0] != '-' || !word[1])
        return 0;
    if (word[1] == '-')
        return wr_option_find(command, word + 2, strlen(word + 2)) != NULL;
    for (const wr_option *o = command->option; o->name && !word[2]; o++)
        if (o->letter == word[1])
            return 1;
    return 0;
}

static int take(const parser *p, int c, const char *word)
{
    const wr_option *o = p->command->option;
    for (int i = 0; o->name && c != (o->letter ? o->letter : FIRST + i); i++)
        o++;
    if (!o->name)
        return refuse_word(p, c, word);
    if (o->letter && o->value && strncmp(word, "--", 2) != 0 && optarg == word + 2 &&
        *optarg == '=')
        return refuse(p, "write '-%c %s', not '%s'", c, optarg + 1, word);
    /* If the value is the name of an option, the user has forgotten the value. */
    if (o->value && optarg == word && is_option(p->command, word))
        return refuse(p, "--%s needs a %s", o->name,
                      o->kind != WR_OPTION_FILE && !o->key ? "value"
                      : strcmp(o->value, "DIR") == 0       ? "folder"
                                                           : "file");
    p->to->given |= (uint64_t)1 << (o - p->command->option);
    return set_option(p, o, optarg);
}

int wr_options_parse(const wr_command *command, int argc, char **argv, void *into,
                     char why[WR_OPTION_WHY_BYTES])
{
    struct option list[MAX_ROWS + 2];
    const parser p = {.command = command, .to = into, .why = why};
    p.to->command = command;
    char letters[2 * MAX_ROWS + 3] = ":", *letter = letters + 1;
    int n = 0;
    for (const wr_option *o = command->option; o->name && n < MAX_ROWS; o++) {
        list[n] = (struct option){o->name, o->value ? required_argument : no_argument, NULL,
                                  o->letter ? o->letter : FIRST + n};
        n++;
        if (!o->letter)
            continue;
        *letter++ = o->letter;
        if (o->value)
            *letter++ = ':';
    }
    strcpy(letter, "h");
    list[n++] = (struct option){"help", no_argument, NULL, 'h'};
    list[n] = (struct option){NULL, 0, NULL, 0};
    optind = 0; /* 0 restarts getopt_long */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, letters, list, NULL)) != -1;) {
        if (c == 'h')
            return 1;
        if (take(&p, c, optind > 0 ? argv[optind - 1] : "") != 0)
            return -1;
    }
    p.to->operand = (const char *const *)(argv + optind);
    p.to->n_operand = argc - optind;
    return check_together(&p);
}

void wr_arguments_done(wr_arguments *arguments)
{
    while (arguments->n_owned > 0)
        free(arguments->owned[--arguments->n_owned]);
    present = NULL;
}

static void print_row(FILE *to, char letter, const char *name, const char *value, const char *help)
{
    const char short_form[] = {'-', letter, ',', '\0'};
    char text[64];
    snprintf(text, sizeof text, "--%s%s%s", name, value ? " " : "", value ? value : "");
    fprintf(to, "  %3s %-22s %s", letter ? short_form : "", text, help);
}

void wr_options_print(FILE *to, const wr_command *command)
{
    for (const wr_option *o = command->option; o->name; o++) {
        print_row(to, o->letter, o->name, o->value, o->help);
        if (o->words && o->kind == WR_OPTION_OVERRIDE)
            for (const char *const *word = o->words(); *word; word++)
                fprintf(to, "%s%s", word == o->words() ? ": " : ", ", *word);
        else if (o->words) {
            const char *const *words = o->words();
            enum { MARGIN = 29, WIDTH = 110 };
            fputs(":", to);
            for (int column = WIDTH; *words; words++) {
                const int n = (int)strlen(*words) + 2;
                if (column + n > WIDTH) {
                    fprintf(to, "\n%*s", MARGIN - 1, "");
                    column = MARGIN;
                }
                fprintf(to, " %s%s", *words, words[1] ? "," : "");
                column += n;
            }
        }
        fputs("\n", to);
    }
    print_row(to, 'h', "help", NULL, "print this text\n");
}

/* Prints one usage line for each line of operands. */
static void print_usage(FILE *to, const wr_command *command, const char *begin)
{
    for (const char *at = command->operands; at;
         at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        fprintf(to, "%s wrsim %s%s%s%.*s\n", begin, command->name,
                command->option->name ? " [OPTIONS]" : "", *at ? " " : "", (int)strcspn(at, "\n"),
                at);
        begin = "      ";
    }
}

void wr_options_print_help(FILE *to, const wr_command *command)
{
    print_usage(to, command, "usage:");
    for (int i = 0; command->form && command->form[i]; i++)
        print_usage(to, command->form[i], "      ");
    fprintf(to, "\n%s\n\n%s%s", command->help, command->more ? command->more : "",
            command->more ? "\n" : "");
    for (int i = 0; command->form && command->form[i]; i++)
        fprintf(to, "wrsim %s --help: %s\n%s", command->form[i]->name, command->form[i]->help,
                command->form[i + 1] ? "" : "\n");
    fputs("options:\n", to);
    wr_options_print(to, command);
}
