/* `wrsim partition`: block forms of an incidence matrix. grouping_command.c implements the form --groups.
 *
 * Thread: main. Real-time: no.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/matrix_market.h"
#include "base/svg_spy.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/live_line.h"
#include "cli/print.h"
#include "cli/program_output.h"
#include "cli/tool.h"
#include "offline/blocks/block_form.h"
#include "offline/blocks/doubly.h"
#include "offline/blocks/hypergraph.h"
#include "offline/blocks/singly.h"
#include "offline/structure/folder.h"
#include "offline/structure/matrix_names.h"
#include "offline/structure/survey.h"
#include "offline/structure/walk.h"
#include "runtime/record/own_file.h"

/* Allowed excess of the largest block over the mean: the 6 by 6 example of Ben Khaled et al. (2013), Fig. 6
 * (docs/METHODS.md, Sources), needs 0.2. */
#define USUAL_IMBALANCE 0.2
enum { N_POINT = 100, MOST_POINTS = 100000, MOST_BLOCKS = 1000000 };

typedef struct blocks {
    wr_arguments line;
    const char *dir;
    wr_selection
        selection; /* selection, relation, n_point and is_declared apply to a config only */
    const char *form, *relation, *n_block_text, *parts;
    int n_point, is_declared, is_paired, is_json, seed;
    double imbalance;
    wrsim_config *config;
    wr_survey survey; /* survey of a config; owner of the names */
    wr_matrix *own;   /* matrix from a file; NULL: from a config */
    wr_matrix_names names;
    const wr_matrix *matrix;
    wrsim_kind row, column; /* variable kinds of rows and columns, for a config */
    int n_part;             /* number of connected parts */
    wr_block_request request;
    wr_block_form *made;
} blocks;

static int is_singly(const blocks *b) { return strcmp(b->form, "singly") == 0; }

static int is_market(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && strcmp(dot, ".mtx") == 0;
}

static const char *const *relation_names(void)
{
    static const char *names[WR_N_RELATION + 1];
    for (int i = 0; i < WR_N_RELATION; i++)
        names[i] = wr_relations[i].id;
    return names;
}

static const char *const *form_names(void)
{
    static const char *const names[] = {"doubly", "singly", NULL};
    return names;
}

#define ROW(...) WR_OPTION(blocks, __VA_ARGS__)
static const wr_option options[] = {
    ROW("form", "FORM", "kind of the border (default singly)", CHOICE, form, .words = form_names),
    ROW("blocks", "K",
        "number of blocks; auto: one for each connected part, at least 2 (default 2)", TEXT,
        n_block_text),
    ROW("relation", "ID", "config only: relation to permute, as in wrsim analyze (default x_dx)",
        CHOICE, relation, .words = relation_names),
    ROW("declared", NULL, "config only: use declared instead of detected dependencies", FLAG,
        is_declared),
    ROW("points", "N", "config only: detect dependencies at N points of the run (default 100)",
        COUNT, n_point, .low = 1, .high = MOST_POINTS, .excludes = "declared"),
    ROW("subsystem", "NAME", "config only: use this subsystem alone", TEXT, selection.subsystem,
        .excludes = "component"),
    ROW("component", "NAME", "config only: use this component alone", TEXT, selection.component),
    ROW("pairs", NULL, "keep row i and column i in the same block", FLAG, is_paired),
    ROW("imbalance", "E",
        "allowed excess of a block over the mean size, as a fraction (default 0.2)", NUMBER,
        imbalance, .low = 0, .high = 1000),
    ROW("seed", "N", "seed of the partitioners (default 1)", COUNT, seed, .low = 0,
        .high = 1000000),
    ROW("parts", "FILE", "read the part of each column from a file that hMETIS or PaToH wrote",
        FILE, parts),
    ROW("json", NULL, "print JSON instead of text", FLAG, is_json),
    ROW("output", "DIR",
        "write the permuted matrix, a drawing, tables and hypergraphs to this folder", FILE, dir,
        .letter = 'o'),
    WR_OPTION_DEFINE(WR_SET_KEY),
    {.name = NULL}};

static const wr_command *const forms[] = {&wr_grouping_form, NULL};

static wrsim_status survey(blocks *b, wrsim_error *err)
{
    const wr_relation relation = wr_relation_find(b->relation);
    WR_TRY(wr_tool_load(&b->line, &b->config));
    const int n_time = b->is_declared ? 0 : b->n_point;
    double *const time_s = wr_walk_times(b->config, n_time);
    if (!time_s)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for %d points", n_time);
    wr_busy_line *line = wr_busy_line_begin("partition", n_time);
    const wr_survey_request request = {.selection = b->selection,
                                       .time_s = time_s,
                                       .n_time = n_time,
                                       .progress = wr_busy_line_point,
                                       .user = line};
    const wrsim_status status =
        wr_survey_run(b->config, &request, &b->survey, wr_print_error, NULL, err);
    wr_busy_line_end(&line);
    free(time_s);
    WR_TRY(status);
    const wr_survey_part *const p = &b->survey.part[0];
    b->matrix = (b->is_declared ? &p->declared : &p->detected)->at[relation];
    b->row = wr_relations[relation].row;
    b->column = wr_relations[relation].column;
    return b->matrix
               ? WRSIM_OK
               : wr_error_set(
                     err, WRSIM_E_ARG,
                     "relation %s cannot be declared; remove --declared to detect the relation",
                     wr_relations[relation].arrow);
}

static wrsim_status load(blocks *b, wrsim_error *err)
{
    const char *const path = b->line.operand[0];
    const wr_hypergraph_format format = wr_hypergraph_format_of(path);
    if (format < WR_N_HYPERGRAPH)
        b->own = wr_hypergraph_read(path, format, err);
    else if (is_market(path))
        b->own = wr_matrix_names_read(path, &b->names, err);
    else
        return survey(b, err);
    b->matrix = b->own;
    return b->own ? WRSIM_OK : err->status;
}

static wrsim_status make(blocks *b, wrsim_error *err)
{
    const size_t n = (size_t)b->matrix->n_row + (size_t)b->matrix->n_column + 1;
    int *const part = calloc(n, sizeof *part);
    b->n_part = part && (!b->is_paired || b->matrix->n_row == b->matrix->n_column)
                    ? wr_connected_parts(b->matrix, b->is_paired, part, part + b->matrix->n_row)
                    : 0;
    free(part);
    long n_block = strtol(b->n_block_text, NULL, 10);
    if (strcmp(b->n_block_text, "auto") == 0)
        n_block = b->n_part > 1 ? b->n_part : 2;
    const int is_whole = strcmp(b->n_block_text, "auto") == 0 && b->n_part > 1;
    b->request = (wr_block_request){.n_block = (int)n_block,
                                    .imbalance = is_whole ? (double)MOST_BLOCKS : b->imbalance,
                                    .is_paired = b->is_paired,
                                    .counts_rows = !is_singly(b),
                                    .seed = (unsigned)b->seed};
    WR_TRY(wr_block_request_check(b->matrix, &b->request, err));
    if (b->parts) {
        int n_part;
        int *const of_column = calloc((size_t)b->matrix->n_column + 1, sizeof *of_column);
        if (!of_column)
            return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the parts of the columns");
        wrsim_status status =
            wr_hypergraph_read_parts(b->parts, b->matrix->n_column, of_column, &n_part, err);
        if (status == WRSIM_OK)
            status =
                wr_singly_from_parts(b->matrix, of_column, n_part, b->is_paired, &b->made, err);
        free(of_column);
        return status;
    }
    return (is_singly(b) ? wr_singly_make : wr_doubly_make)(b->matrix, &b->request, &b->made, err);
}

/* Returns the name of a row or column; without a name the number, from 1 as in the files. */
static const char *name_of(const blocks *b, int is_row, int i, char text[16])
{
    if (b->survey.n_part > 0)
        return wr_incidence_name(b->survey.part[0].view, is_row ? b->row : b->column, i);
    const wr_matrix_names *const names = &b->names;
    const char *const name = is_row ? (i < names->n_row ? names->row[i] : NULL)
                                    : (i < names->n_column ? names->column[i] : NULL);
    if (name)
        return name;
    snprintf(text, 16, "%d", i + 1);
    return text;
}

static void print_list(const blocks *b, const char *what, int is_row, const int *order, int from,
                       int to)
{
    enum { LISTED = 12 };
    char text[16];
    fprintf(wr_out, "    %-8s", what);
    for (int i = from; i < to && i < from + LISTED; i++)
        fprintf(wr_out, " %s", name_of(b, is_row, order[i], text));
    fprintf(wr_out, to - from > LISTED ? " ... (%d)\n" : to == from ? " none\n" : "\n", to - from);
}

static void print_section(const blocks *b, const char *name, int section)
{
    const wr_block_form *const f = b->made;
    const int *const row = f->row_start + section, *const column = f->column_start + section;
    if (row[1] == row[0] && column[1] == column[0])
        return;
    const int n_row = row[1] - row[0], n_column = column[1] - column[0];
    fprintf(wr_out, "  %s: %d row%s, %d column%s\n", name, n_row, wr_plural(n_row), n_column,
            wr_plural(n_column));
    print_list(b, "rows", 1, f->row_order, row[0], row[1]);
    print_list(b, "columns", 0, f->column_order, column[0], column[1]);
}

static void json_order(wr_json *j, const char *key, const blocks *b, int is_row, const int *order,
                       int n)
{
    char text[16];
    wr_json_array(j, key);
    for (int i = 0; i < n; i++)
        wr_json_string(j, NULL, name_of(b, is_row, order[i], text));
    wr_json_end(j);
}

static void json_starts(wr_json *j, const char *key, const int *start, int n)
{
    wr_json_array(j, key);
    for (int i = 0; i < n; i++)
        wr_json_integer(j, NULL, start[i]);
    wr_json_end(j);
}

static void make_json(const blocks *b, wr_json *j)
{
    const wr_block_form *const f = b->made;
    wr_json_object(j, NULL);
    wr_json_string(j, "tool", "wrsim partition");
    wr_json_string(j, "of", b->line.operand[0]);
    if (b->survey.n_part > 0)
        wr_json_string(j, "relation", b->relation);
    wr_json_string(j, "form", b->form);
    wr_json_integer(j, "rows", b->matrix->n_row);
    wr_json_integer(j, "columns", b->matrix->n_column);
    wr_json_integer(j, "entries", b->matrix->n_nonzero);
    wr_json_integer(j, "parts", b->n_part);
    wr_json_integer(j, "blocks", f->n_block);
    wr_json_integer(j, "border_rows", f->n_border_row);
    wr_json_integer(j, "border_columns", f->n_border_column);
    wr_json_integer(j, "unused_rows", f->n_unused_row);
    wr_json_integer(j, "unused_columns", f->n_unused_column);
    wr_json_integer(j, "block_entries", f->n_block_entry);
    wr_json_number(j, "imbalance", f->imbalance);
    json_starts(j, "row_start", f->row_start, f->n_block + 3);
    json_starts(j, "column_start", f->column_start, f->n_block + 3);
    json_order(j, "row_order", b, 1, f->row_order, b->matrix->n_row);
    json_order(j, "column_order", b, 0, f->column_order, b->matrix->n_column);
    wr_json_end(j);
}

static const char **names_in_order(const blocks *b, int is_row, const int *order, int n,
                                   char (*number)[16])
{
    const char **const name = calloc((size_t)n + 1, sizeof *name);
    for (int i = 0; name && i < n; i++)
        name[i] = name_of(b, is_row, order[i], number[i]);
    return name;
}

static wrsim_status write_drawing(const blocks *b, const wr_matrix *permuted, const char *path,
                                  wrsim_error *err)
{
    const wr_block_form *const f = b->made;
    char title[200];
    char(*const number)[16] =
        calloc((size_t)permuted->n_row + (size_t)permuted->n_column + 1, sizeof *number);
    const char **const row = number ? names_in_order(b, 1, f->row_order, permuted->n_row, number)
                                    : NULL,
                       **const column =
                           number ? names_in_order(b, 0, f->column_order, permuted->n_column,
                                                   number + permuted->n_row)
                                  : NULL;
    snprintf(title, sizeof title, "%.100s: %s bordered, border of %d row%s and %d column%s",
             b->survey.n_part > 0 ? wr_relations[wr_relation_find(b->relation)].arrow
                                  : b->line.operand[0],
             b->form, f->n_border_row, wr_plural(f->n_border_row), f->n_border_column,
             wr_plural(f->n_border_column));
    const wr_svg_spy spy = {.matrix = permuted,
                            .title = title,
                            .row_name = row,
                            .column_name = column,
                            .row_block = f->row_start,
                            .n_row_block = f->n_block + 2,
                            .column_block = f->column_start,
                            .n_column_block = f->n_block + 2};
    const wrsim_status status =
        row && column ? wr_svg_spy_write(&spy, path, err)
                      : wr_error_set(err, WRSIM_E_MEMORY, "out of memory for a drawing");
    free(row);
    free(column);
    free(number);
    return status;
}

static wrsim_status write_files(const blocks *b, wr_folder *folder, wrsim_error *err)
{
    wr_matrix *permuted = wr_matrix_permute(b->matrix, b->made->row_order, b->made->column_order);
    if (!permuted)
        return wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the permuted matrix");
    const char *path;
    wrsim_status status = WRSIM_E_IO;
    if ((path = wr_folder_file(folder, err, "form.mtx")))
        status = wr_matrix_market_write(path, permuted, "wrsim partition", err);
    if (status == WRSIM_OK)
        status = (path = wr_folder_file(folder, err, "form.svg"))
                     ? write_drawing(b, permuted, path, err)
                     : WRSIM_E_IO;
    wr_matrix_destroy(&permuted);
    WR_TRY(status);
    if (!(path = wr_folder_file(folder, err, "blocks.csv")))
        return WRSIM_E_IO;
    const wr_block_form *const f = b->made;
    wr_text_buffer text = {0};
    char number[16];
    wr_text_buffer_add(&text, WR_OWN_TOOL_MARK ", partition\nkind,position,number,name,block\n");
    for (int is_column = 0; is_column < 2; is_column++) {
        const int *const order = is_column ? f->column_order : f->row_order,
                         *const start = is_column ? f->column_start : f->row_start;
        for (int s = 0; s < f->n_block + 2; s++)
            for (int i = start[s]; i < start[s + 1]; i++) {
                wr_text_buffer_add(&text, "%s,%d,%d", is_column ? "column" : "row", i + 1,
                                   order[i] + 1);
                wr_text_buffer_cell(&text, 0, name_of(b, !is_column, order[i], number));
                if (s < f->n_block)
                    wr_text_buffer_add(&text, ",%d\n", s + 1);
                else
                    wr_text_buffer_add(&text, s == f->n_block ? ",border\n" : ",unused\n");
            }
    }
    WR_TRY(wr_text_buffer_write(&text, path, err));
    wr_json j = {0};
    make_json(b, &j);
    status = wr_tool_write_json(folder, "partition.json", wr_json_text(&j), err);
    wr_json_done(&j);
    WR_TRY(status);
    static const char *const names[WR_N_HYPERGRAPH] = {"hypergraph.hgr", "hypergraph.patoh"};
    for (int i = 0; i < WR_N_HYPERGRAPH; i++)
        WR_TRY(wr_folder_write_text(folder, names[i],
                                    wr_hypergraph_text(b->matrix, (wr_hypergraph_format)i), err));
    return WRSIM_OK;
}

static wrsim_status tell(const blocks *b, wrsim_error *err)
{
    wr_folder folder;
    if (b->dir) {
        WR_TRY(wr_folder_open(&folder, b->dir, b->line.operand[0], b->config, err));
        WR_TRY(write_files(b, &folder, err));
    }
    if (!b->is_json) {
        const wr_block_form *const f = b->made;
        char name[32];
        fprintf(wr_out, "%s: %d by %d, %d entr%s, %d connected part%s\n", b->line.operand[0],
                b->matrix->n_row, b->matrix->n_column, b->matrix->n_nonzero,
                b->matrix->n_nonzero == 1 ? "y" : "ies", b->n_part, wr_plural(b->n_part));
        fprintf(wr_out,
                "%s bordered form: %d block%s, border of %d row%s and %d column%s, largest block "
                "%.0f %% "
                "above the mean\n",
                b->form, f->n_block, wr_plural(f->n_block), f->n_border_row,
                wr_plural(f->n_border_row), f->n_border_column, wr_plural(f->n_border_column),
                100.0 * f->imbalance);
        fprintf(wr_out, "%d of %d entr%s in the blocks; the permuted form is checked\n",
                f->n_block_entry, b->matrix->n_nonzero, b->matrix->n_nonzero == 1 ? "y" : "ies");
        if (!b->parts && f->imbalance > b->request.imbalance + 1e-9)
            fprintf(wr_out,
                    "no form within %.0f %% of the mean was found, so this form is the best "
                    "balanced one; raise --imbalance, or request fewer blocks\n",
                    100.0 * b->request.imbalance);
        for (int i = 0; i < f->n_block; i++) {
            snprintf(name, sizeof name, "block %d", i + 1);
            print_section(b, name, i);
        }
        print_section(b, "border", f->n_block);
        print_section(b, "without entries", f->n_block + 1);
        if (b->dir)
            wr_tool_print_files(&folder, "");
        return WRSIM_OK;
    }
    wr_json j = {0};
    make_json(b, &j);
    return wr_tool_print_json(wr_json_take(&j), err);
}

static const wr_command *choose(int *argc, char **argv)
{
    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--groups") == 0 ||
            strncmp(argv[i], "--groups=", strlen("--groups=")) == 0)
            return &wr_grouping_form;
    return NULL;
}

static int run(void *into)
{
    blocks *const b = into;
    const char *const of_config =
        wr_arguments_given(&b->line, "relation declared points subsystem component define");
    /* The ending of the operand decides whether the operand is a matrix. */
    const char *const path = b->line.operand[0];
    if ((is_market(path) || wr_hypergraph_format_of(path) < WR_N_HYPERGRAPH) && of_config)
        return wr_command_line_refuse(b,
                                      "'%s' is no config, so --%s has no effect; remove the option",
                                      b->line.operand[0], of_config);
    if (b->parts && !is_singly(b))
        return wr_command_line_refuse(
            b, "--parts assigns columns to blocks, so it needs --form singly");
    char *end;
    const long n_block = strtol(b->n_block_text, &end, 10);
    if (strcmp(b->n_block_text, "auto") != 0 && (*end || n_block < 2 || n_block > MOST_BLOCKS))
        return wr_command_line_refuse(b, "--blocks takes auto, or a number from 2 to %d, not '%s'",
                                      MOST_BLOCKS, b->n_block_text);
    wrsim_error err = {0};
    wrsim_status status = wr_tool_check_file(b->parts, &err);
    if (status >= 0)
        status = load(b, &err);
    if (status >= 0)
        status = make(b, &err);
    if (status >= 0)
        status = tell(b, &err);
    wr_survey_done(&b->survey);
    wr_matrix_destroy(&b->own);
    wr_matrix_names_done(&b->names);
    wr_block_form_destroy(&b->made);
    wrsim_config_destroy(&b->config);
    return wr_tool_end(status < 0 ? status : WRSIM_OK, &err);
}

const wr_command wr_partition_command = {
    WR_COMMAND("partition", "CONFIG|MATRIX.mtx\nHYPERGRAPH.hgr|HYPERGRAPH.patoh", 1, 1, options,
               run),
    .help = "permute an incidence matrix to block-diagonal form with a border",
    .more = "Doubly bordered: the border has rows and columns, found by vertex separators. Singly "
            "bordered: the border has rows,\nfound by hypergraph partitioning.\n",
    .form = forms,
    .choose = choose,
    .into = &(blocks){.form = "singly",
                      .n_block_text = "2",
                      .relation = "x_dx",
                      .n_point = N_POINT,
                      .seed = 1,
                      .imbalance = USUAL_IMBALANCE}};
