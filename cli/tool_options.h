/* Command lines of the offline tools. A table of options states which options a tool takes, their help, and where
 * values are stored.
 *
 * Each tool takes -D KEY=VALUE (repeatable), -o DIR, -h, the options of its table (-q if one is named quiet), and
 * operands.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_TOOL_OPTIONS_H
#define WR_TOOL_OPTIONS_H

enum { WR_TOOL_OPERANDS = 4, WR_TOOL_OVERRIDES = 256, WR_TOOL_NUMBERS = 1024 };

typedef enum wr_tool_kind {
    WR_TOOL_FLAG,   /* int: 1 if the option is present */
    WR_TOOL_TEXT,   /* const char * */
    WR_TOOL_NUMBER, /* double from low to high */
    /* int from low to high; if the option's value is named K|auto, the word auto stores 0 */
    WR_TOOL_COUNT,
    WR_TOOL_NUMBERS_LIST /* wr_tool_numbers, written as "0.1,0.2" */
} wr_tool_kind;

typedef struct wr_tool_numbers {
    int n;
    double value[WR_TOOL_NUMBERS];
} wr_tool_numbers;

typedef struct wr_tool_option {
    const char *name;  /* name without "--"; NULL ends a table */
    const char *value; /* name of the value in --help; NULL: the option is a flag */
    const char *help;
    wr_tool_kind kind;
    void *to;         /* destination; unchanged if the option is absent */
    double low, high; /* range of numbers and counts */
} wr_tool_option;

typedef struct wr_tool {
    const char *name;     /* the command's name */
    const char *operands; /* operands in the usage line: "CONFIG" */
    const char *summary;  /* description in --help, as whole lines */
    int n_operand;        /* number of operands */
    const wr_tool_option *option;
    const char *output; /* help of -o; NULL: the tool has no -o */
    const char *define; /* help of -D KEY=VALUES; NULL: -D KEY=VALUE sets one key */
    /* Set by wr_tool_parse(): */
    const char *operand[WR_TOOL_OPERANDS];
    const char *folder; /* -o; NULL: absent */
    int n_override;
    const char *override[WR_TOOL_OVERRIDES];
} wr_tool;

/* argv[0] is the command's name. Returns 0 to go on; else the exit code + 1, after a message or the help. */
int wr_tool_parse(wr_tool *tool, int argc, char **argv);

#endif
