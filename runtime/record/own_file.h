/* Which files wrsim may replace: those it wrote itself, known by their first bytes, and empty ones.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_OWN_FILE_H
#define WR_OWN_FILE_H

typedef enum wr_own_kind {
    WR_OWN_RESULT,  /* of a run, in any of its formats */
    WR_OWN_SUMMARY, /* of a run, JSON */
    WR_OWN_BENCH,   /* of wrsim bench, JSON */
    WR_OWN_DRAWING, /* of wrsim bench, SVG */
    WR_OWN_CONFIG,  /* of wrsim budget, TOML */
    WR_OWN_CHECKPOINT,
    WR_OWN_TOOL, /* of an offline tool: matrices, tables, drawings, JSON, hypergraphs, configs */
    WR_OWN_COUNT
} wr_own_kind;

/* What the first line of drawings and configs holds, so that they are known again. */
#define WR_OWN_DRAWING_MARK "<!-- wrsim bench -->"
#define WR_OWN_CONFIG_MARK "# Written by wrsim budget."

/* What tables of offline tools begin with, and what a state space has in its second line; their JSON has a member
 * "tool": "wrsim ...". */
#define WR_OWN_TOOL_MARK "# Written by a tool of wrsim"

/* What a checkpoint begins with. */
#define WR_OWN_CHECKPOINT_MARK "wrsim checkpoint\n"

/* NULL: a file of this kind may be written to path: nothing is there, or nothing that would be lost, or no regular file,
 * or one of the kind, or a text goes to a descriptor of this process. Else what it is not: "a result of wrsim". */
const char *wr_own_file_refusal(const char *path, wr_own_kind kind);

#endif
