/* The program's commands: one row each.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_COMMANDS_H
#define WR_COMMANDS_H

#include <stdio.h>

enum { WR_CLI_OVERRIDES = 256 };

/* The command line after parsing. Strings belong to argv or to override_text. */
typedef struct wr_cli {
    const char *operand[4];
    int n_operand;
    const char *override[WR_CLI_OVERRIDES]; /* "key=value", in order */
    int n_override;
    char *owned[WR_CLI_OVERRIDES]; /* overrides made from options, freed at the end */
    int n_owned;
    char given[16];     /* letters of the options, each once */
    int is_json;        /* --json without a file: `check` */
    int is_quiet;       /* --quiet */
    int is_progress;    /* --progress: also when standard error is no terminal */
    double limit;       /* --limit; < 0 = none */
    int is_all;         /* --all: experts' keys, too */
    int may_lack;       /* --allow-missing: what one side lacks is no difference */
    const char *plugin; /* --plugin; NULL = none */
} wr_cli;

typedef struct wr_command {
    const char *name;
    const char *operands; /* for usage */
    int min_operand, max_operand;
    const char
        *options; /* letters of those it takes (options.c); NULL = has a command line of its own */
    const char *help;
    int (*run)(const wr_cli *cli); /* returns the exit code */
    const char *more; /* what its --help says below that, whole lines; NULL = nothing */
} wr_command;

/* Terminated by name == NULL. The first row is what runs when no command is named. */
extern const wr_command wr_commands[];

/* NULL when there is none of this name, or no name. */
const wr_command *wr_command_find(const char *name);

/* A lone word that is neither a command nor looks like a file is most likely a mistyped command: the
 * nearest one's name, NULL = none is near. */
const char *wr_command_meant(const char *word);

#endif
