/* Command lines. Each option of a command has one row. The parser, the checks and the help use the row.
 *
 * Every command accepts -h. A command's struct begins with wr_arguments; the parser stores values in the members that the rows name.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_OPTIONS_H
#define WR_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    WR_OPTION_OVERRIDES = 256,
    WR_OPTION_WORDS = 64,
    WR_OPTION_NUMBERS = 1024,
    WR_OPTION_WHY_BYTES = 8192
};

typedef enum wr_option_kind {
    WR_OPTION_FLAG,   /* int: 1 if the option is present */
    WR_OPTION_TEXT,   /* const char * */
    WR_OPTION_FILE,   /* const char *, not empty */
    WR_OPTION_CHOICE, /* const char *, one of `words` */
    WR_OPTION_NUMBER, /* double from low to high */
    /* int from low to high; if the value is named K|auto, the word auto stores 0 */
    WR_OPTION_COUNT,
    WR_OPTION_LIST,   /* wr_option_numbers, written as "0.1,0.2" */
    WR_OPTION_REPEAT, /* wr_option_texts; one of `words` if the row has them */
    WR_OPTION_COST, /* --cost: the value is PATTERN=TIME, and becomes an override of component.cost */
    WR_OPTION_OVERRIDE /* -D: the value is an override. With `key`: the override is key = value (a text), or `key` itself for a flag */
} wr_option_kind;

typedef struct wr_option_numbers {
    int n;
    double value[WR_OPTION_NUMBERS];
} wr_option_numbers;

typedef struct wr_option_texts {
    int n;
    const char *text[WR_OPTION_WORDS];
} wr_option_texts;

typedef struct wr_option {
    const char *name;  /* without "--"; NULL ends a table */
    char letter;       /* short form; 0: none */
    const char *value; /* name of the value in --help; NULL: the option is a flag */
    const char *help;
    wr_option_kind kind;
    size_t at;        /* offset of the member, which stays unchanged if the option is absent */
    double low, high; /* range of numbers and counts */
    /* Names without "--": needs is one option that this option needs; excludes lists options that this option excludes, separated by
     * blanks. */
    const char *needs, *excludes;
    const char *const *(*words)(
        void); /* returns the words that --help prints, ended by NULL; the value must be one of the words, except for
                * overrides */
    const char *key;
} wr_option;

/* Defines a row. A command's file defines ROW(...) as WR_OPTION(its struct, ...); further fields follow by name. */
#define WR_OPTION(self, name_, value_, help_, kind_, member, ...)                                  \
    {                                                                                              \
        .name = name_, .value = value_, .help = help_, .kind = WR_OPTION_##kind_,                  \
        .at = offsetof(self, member), __VA_ARGS__                                                  \
    }
/* Rows that several commands have. */
#define WR_OPTION_DEFINE(help_)                                                                    \
    {                                                                                              \
        .name = "define", .letter = 'D', .value = "KEY=VALUE", .help = help_,                      \
        .kind = WR_OPTION_OVERRIDE                                                                 \
    }
#define WR_OPTION_COSTS                                                                            \
    {                                                                                              \
        .name = "cost", .value = "PATTERN=TIME",                                                   \
        .help = "time of one point of the components that match, such as 'cyl*=100us'; may be "    \
                "repeated",                                                                        \
        .kind = WR_OPTION_COST                                                                     \
    }
#define WR_NO_OPTIONS                                                                              \
    (const wr_option[])                                                                            \
    {                                                                                              \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }
#define WR_SET_KEY "set a key of the config; may be repeated"

typedef struct wr_command {
    const char *name;
    const char *operands; /* operands of the usage line: "CONFIG" */
    int needs_config;     /* 1: the first operand cannot be an FMU or a system of SSP */
    int min_operand, max_operand;
    const char *help;        /* one line for the list of commands */
    const char *more;        /* further lines of --help; NULL: none */
    const wr_option *option; /* rows of the options; WR_NO_OPTIONS: -h only */
    /* Further forms of the command, ended by NULL; --help lists them. NULL: none. */
    const struct wr_command *const *form;
    /* Returns the form that the words name, and may remove the form's word from argv; NULL: the command itself. */
    const struct wr_command *(*choose)(int *argc, char **argv);
    void *into;             /* the command's struct with the defaults */
    int (*run)(void *into); /* runs the parsed command; returns the exit code */
} wr_command;

/* First fields of a command; `.into`, help and further fields follow by name. */
#define WR_COMMAND(name_, operands_, min_, max_, option_, run_)                                    \
    .name = name_, .operands = operands_, .min_operand = min_, .max_operand = max_,                \
    .option = option_, .run = run_

/* The parsed command line. Strings belong to argv or to `owned`. */
typedef struct wr_arguments {
    const wr_command *command;
    const wr_command *parent; /* the command that has the form `command`; NULL: no form */
    const char *const *operand;
    int n_operand;
    const char *override[WR_OPTION_OVERRIDES]; /* "key=value", in the order of the command line */
    int n_override;
    char *owned[WR_OPTION_OVERRIDES];
    /* the option that has made the override owned[i], and its value on the command line */
    const char *owned_option[WR_OPTION_OVERRIDES], *owned_value[WR_OPTION_OVERRIDES];
    int n_owned;
    uint64_t given; /* bit i: the option of row i is present */
} wr_arguments;

/* Parses argv into the command's struct, whose first member is wr_arguments. Returns 0; 1 if -h or --help precedes every error; -1 with a
 * reason in `why` if the command line is not valid. */
int wr_options_parse(const wr_command *command, int argc, char **argv, void *into,
                     char why[WR_OPTION_WHY_BYTES]);
void wr_arguments_done(wr_arguments *arguments);

/* The place of an error is "-D key=value" for every override. If another option has made the override, writes the words of the user, such
 * as "--cost a=1us", to ret, and returns ret. Otherwise the function returns the place. */
const char *wr_arguments_place(const char *place, char *ret, size_t n_bytes);

/* Returns the first of the named options ("points times") that is present; NULL if all are absent. */
const char *wr_arguments_given(const wr_arguments *arguments, const char *names);

void wr_options_print_help(FILE *to, const wr_command *command);
/* Prints the rows of the command's options. */
void wr_options_print(FILE *to, const wr_command *command);

/* Returns the row of an option by its name of n bytes; NULL if the command lacks the option. */
const wr_option *wr_option_find(const wr_command *command, const char *name, size_t n);

#endif
