/* Command lines of the offline tools: a table of options says what a tool takes, how its --help reads, and where values go.
 *
 *     -D KEY=VALUE (many), -o DIR, -h and those of the table (-q for one called quiet); operands in between.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_TOOL_OPTIONS_H
#define WR_TOOL_OPTIONS_H

enum { WR_TOOL_OPERANDS = 4, WR_TOOL_OVERRIDES = 256, WR_TOOL_NUMBERS = 1024 };

typedef enum wr_tool_kind {
    WR_TOOL_FLAG,        /* int: 1 where given */
    WR_TOOL_TEXT,        /* const char * */
    WR_TOOL_NUMBER,      /* double, low to high */
    WR_TOOL_COUNT,       /* int, low to high; 0: auto, if the value is called K|auto */
    WR_TOOL_NUMBERS_LIST /* wr_tool_numbers: "0.1,0.2" */
} wr_tool_kind;

typedef struct wr_tool_numbers {
    int n;
    double value[WR_TOOL_NUMBERS];
} wr_tool_numbers;

typedef struct wr_tool_option {
    const char *name;  /* without "--"; NULL ends a table */
    const char *value; /* what --help calls its value; NULL: a flag */
    const char *help;
    wr_tool_kind kind;
    void *to;         /* where it goes; keeps its default where the option is not given */
    double low, high; /* of numbers and counts */
} wr_tool_option;

typedef struct wr_tool {
    const char *name;     /* of the command */
    const char *operands; /* for usage: "CONFIG" */
    const char *summary;  /* whole lines */
    int n_operand;        /* so many */
    const wr_tool_option *option;
    const char *output; /* what -o takes, for help; NULL: there is no -o */
    const char
        *define; /* what -D takes and does, of KEY=VALUES; NULL: one of KEY=VALUE sets a key */
    /* filled: */
    const char *operand[WR_TOOL_OPERANDS];
    const char *folder; /* -o; NULL: not given */
    int n_override;
    const char *override[WR_TOOL_OVERRIDES];
} wr_tool;

/* argv[0] is the command. 0: go on; else the exit code + 1, after a message or the help. */
int wr_tool_parse(wr_tool *tool, int argc, char **argv);

#endif
