/* Decides which files wrsim may replace: empty files, and files of wrsim, recognised by their first bytes.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_OWN_FILE_H
#define WR_OWN_FILE_H

typedef enum wr_own_kind {
    WR_OWN_RESULT,      /* results of a run, in any format */
    WR_OWN_DESCRIPTION, /* description of results in CSV format, JSON */
    WR_OWN_SUMMARY,     /* summary of a run, JSON */
    WR_OWN_BENCH,       /* result of wrsim bench, JSON */
    WR_OWN_DRAWING,     /* drawing of wrsim bench, SVG */
    WR_OWN_CONFIG,      /* config of wrsim budget or bench growth, TOML */
    WR_OWN_CHECKPOINT,
    WR_OWN_TRACE, /* trace of a run, JSON */
    WR_OWN_TOOL, /* file of an offline tool: matrix, table, drawing, JSON, hypergraph, config, state space */
    WR_OWN_FMU, /* FMU of wrsim export */
    WR_OWN_LOG, /* events or windows beside results in CSV format */
    WR_OWN_COUNT
} wr_own_kind;

/* Text near the start of drawings, and first text of configs. In configs the name of the command follows. */
#define WR_OWN_DRAWING_MARK "<!-- wrsim bench -->"
#define WR_OWN_CONFIG_MARK "# Written by wrsim "

/* First text of tables of offline tools, and second line of state spaces. JSON files have a member "tool": "wrsim ...". */
#define WR_OWN_TOOL_MARK "# Written by a tool of wrsim"

/* First file of an FMU of wrsim export. */
#define WR_OWN_FMU_FIRST "resources/system.toml"

/* First text of a checkpoint. */
#define WR_OWN_CHECKPOINT_MARK "wrsim checkpoint\n"

/* First text of a trace. The version of the format follows. */
#define WR_OWN_TRACE_MARK "{\"otherData\":{\n\"format\":\"wrsim trace "

/* Returns NULL if the program may write a file of this kind to path, else the expected kind, such as "a result of wrsim". An allowed path
 * is free, or leads to an empty file, a file of this kind, an unreadable file, or no regular file. A descriptor of this process is allowed,
 * too, except for results and checkpoints. */
const char *wr_own_file_refusal(const char *path, wr_own_kind kind);

#endif
