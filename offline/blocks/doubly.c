/* Doubly bordered forms. See doubly.h. Thread: one at a time. Real-time: no. */
#include "offline/blocks/doubly.h"

#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/diag.h"
#include "base/matrix.h"
#include "offline/blocks/block_form.h"

/* ---- maximum matchings ---- */

typedef struct matcher {
    const wr_matrix *m;
    int n_block;
    const int *row_block;    /* [n_row] block of each row */
    const int *column_block; /* [n_column] block of each column */
    int *row_mate;           /* [n_row] matched column of each row; -1: none */
    int *column_mate;        /* [n_column] matched row of each column; -1: none */
    int *stamp;              /* [n_row] number of the last search that visited the row */
    int *stack;              /* [n_column] columns on the present path */
    int *place;              /* [n_column] next entry of each column on the present path */
} matcher;

static int may_match(const matcher *w, int row, int column)
{
    return w->row_block[row] == w->column_block[column] && w->row_block[row] < w->n_block;
}

/* Searches for an augmenting path from a free column to a free row, and matches each column of a found path with the next row. The search
 * has an explicit stack instead of recursion, because a path can be as long as the matrix. */
static void augment(matcher *w, int column, int search)
{
    int depth = 0;
    w->stack[0] = column;
    w->place[0] = w->m->start[column];
    while (depth >= 0) {
        const int j = w->stack[depth];
        if (w->place[depth] == w->m->start[j + 1]) {
            depth--;
            continue;
        }
        const int row = w->m->row[w->place[depth]++];
        if (w->stamp[row] == search || !may_match(w, row, j))
            continue;
        w->stamp[row] = search;
        if (w->row_mate[row] >= 0) {
            w->stack[++depth] = w->row_mate[row];
            w->place[depth] = w->m->start[w->row_mate[row]];
            continue;
        }
        for (; depth >= 0; depth--) {
            const int at = w->stack[depth], to = w->m->row[w->place[depth] - 1];
            w->row_mate[to] = at;
            w->column_mate[at] = to;
        }
    }
}

/* Matches as many rows with columns as possible, along entries within a block. Rows and columns of the border, block n_block, get no match.
 * Writes the match of each row and each column, or -1. The search begins with the diagonal (Duff, "On algorithms for obtaining a maximum
 * transversal", ACM TOMS 7, 1981). Returns 0, or -1 when out of memory. */
static int match_within(const wr_matrix *m, int n_block, const int *row_block,
                        const int *column_block, int *ret_row_mate, int *ret_column_mate)
{
    matcher w = {.m = m,
                 .n_block = n_block,
                 .row_block = row_block,
                 .column_block = column_block,
                 .row_mate = ret_row_mate,
                 .column_mate = ret_column_mate,
                 .stamp = calloc((size_t)m->n_row + 1, sizeof *w.stamp),
                 .stack = calloc((size_t)m->n_column + 1, sizeof *w.stack),
                 .place = calloc((size_t)m->n_column + 1, sizeof *w.place)};
    const int is_made = w.stamp && w.stack && w.place;
    for (int i = 0; i < m->n_row; i++)
        ret_row_mate[i] = -1;
    for (int j = 0; j < m->n_column; j++)
        ret_column_mate[j] = -1;
    for (int j = 0; is_made && j < m->n_column && j < m->n_row; j++)
        if (wr_matrix_find(m, j, j) >= 0 && may_match(&w, j, j))
            ret_row_mate[j] = ret_column_mate[j] = j;
    for (int j = 0; is_made && j < m->n_column; j++)
        if (ret_column_mate[j] < 0)
            augment(&w, j, j + 1);
    free(w.stamp);
    free(w.stack);
    free(w.place);
    return is_made ? 0 : -1;
}

/* Number of seeds of the search for a separator; fewer for a matrix with more than LARGE nonzeros, to save time (assumed). */
enum { N_SEED = 16, N_SEED_LARGE = 2, LARGE = 20000 };
/* Factors of the requested imbalance for the two sides of a separator (assumed). A looser balance of the sides can give a better balance
 * of the blocks. */
static const double looser[] = {1.0, 2.0, 4.0};

/* Undirected graph. The vertices are the rows, then the columns. If pairs stay together, vertex i is the pair of row i and column i. */
typedef struct graph {
    int n;        /* number of vertices */
    idx_t *start; /* [n + 1] first neighbour of each vertex in next */
    idx_t *next;  /* [start[n]] neighbours of all vertices; each edge has an entry at both ends */
} graph;

static void graph_done(graph *g)
{
    free(g->start);
    free(g->next);
    *g = (graph){0};
}

/* Returns 0, or -1 when out of memory. */
static int graph_init(graph *g, int n, size_t n_edge)
{
    *g = (graph){.n = n,
                 .start = calloc((size_t)n + 1, sizeof *g->start),
                 .next = calloc(n_edge + 1, sizeof *g->next)};
    if (g->start && g->next)
        return 0;
    graph_done(g);
    return -1;
}

/* Returns the vertex of a column. The vertex of row i is i, with or without pairs. */
static int column_vertex(const wr_matrix *m, int column, int is_paired)
{
    return is_paired ? column : m->n_row + column;
}

/* Makes the graph of a matrix. Returns 0, or -1 when out of memory. */
static int graph_of(const wr_matrix *m, int is_paired, graph *ret)
{
    WR_AUTO(wr_entries_done) wr_entries edges = {0};
    const int n = is_paired ? m->n_row : m->n_row + m->n_column;
    for (int j = 0; j < m->n_column; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            const int a = m->row[k], b = column_vertex(m, j, is_paired);
            if (a == b)
                continue;
            wr_entries_add(&edges, a, b, 1.0, 0);
            wr_entries_add(&edges, b, a, 1.0, 0);
        }
    WR_AUTO(wr_matrix_destroy) wr_matrix *both = wr_matrix_from_entries(n, n, &edges, 0);
    if (!both || graph_init(ret, n, (size_t)both->n_nonzero) < 0)
        return -1;
    for (int i = 0; i <= n; i++)
        ret->start[i] = both->start[i];
    for (int i = 0; i < both->n_nonzero; i++)
        ret->next[i] = both->row[i];
    return 0;
}

/* Makes the graph of part `which`. number[] receives the original number of each vertex of the part. Returns 0, or -1 when out of
 * memory. */
static int subgraph_of(const graph *g, const int *part, int which, int *number, int *place,
                       graph *ret)
{
    int n = 0;
    size_t n_edge = 0;
    for (int v = 0; v < g->n; v++)
        if (part[v] == which) {
            place[v] = n;
            number[n++] = v;
            n_edge += (size_t)(g->start[v + 1] - g->start[v]);
        }
    if (graph_init(ret, n, n_edge) < 0)
        return -1;
    for (int i = 0; i < n; i++) {
        ret->start[i + 1] = ret->start[i];
        for (idx_t k = g->start[number[i]]; k < g->start[number[i] + 1]; k++)
            if (part[g->next[k]] == which)
                ret->next[ret->start[i + 1]++] = place[g->next[k]];
    }
    return 0;
}

/* Finds a separator of the graph. ret_side[n] receives 0 or 1 for the two sides and 2 for the separator. Returns 0, or -1 on failure. */
static int separate(graph *g, unsigned seed, double imbalance, idx_t *ret_side)
{
    idx_t options[METIS_NOPTIONS], n = g->n, size;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)seed;
    options[METIS_OPTION_UFACTOR] = (idx_t)wr_clamp(1000.0 * imbalance, 1.0, 10000.0);
    options[METIS_OPTION_NSEPS] = 1;
    return METIS_ComputeVertexSeparator(&n, g->start, g->next, NULL, options, &size, ret_side) ==
                   METIS_OK
               ? 0
               : -1;
}

/* Divides part `which` into the parts `which` and new_part, and assigns the separator to the border. A part with fewer than two vertices
 * stays whole. Returns 0, or -1 on failure. */
static int cut(const graph *g, int *part, int which, int new_part, int border, unsigned seed,
               double imbalance)
{
    WR_AUTO(graph_done) graph piece = {0};
    WR_AUTO_FREE int *const number = calloc((size_t)g->n + 1, sizeof *number);
    WR_AUTO_FREE int *const place = calloc((size_t)g->n + 1, sizeof *place);
    WR_AUTO_FREE idx_t *const side = calloc((size_t)g->n + 1, sizeof *side);
    if (!number || !place || !side || subgraph_of(g, part, which, number, place, &piece) < 0)
        return -1;
    if (piece.n < 2)
        return 0;
    if (separate(&piece, seed, imbalance, side) < 0)
        return -1;
    for (int i = 0; i < piece.n; i++)
        part[number[i]] = side[i] == 0 ? which : side[i] == 1 ? new_part : border;
    return 0;
}

static int largest_part(const int *part, int n, int *count, int n_part)
{
    int most = 0;
    memset(count, 0, ((size_t)n_part + 1) * sizeof *count);
    for (int v = 0; v < n; v++)
        if (part[v] >= 0)
            count[part[v]]++;
    for (int p = 1; p < n_part; p++)
        most = count[p] > count[most] ? p : most;
    return most;
}

/* ---- square blocks ---- */

/* Moves rows or columns that have no match to the border until each block is square. Returns 0, or -1 when out of memory. */
static int make_square(const wr_matrix *m, int n_block, int *row_block, int *column_block)
{
    WR_AUTO_FREE int *const row_mate = calloc((size_t)m->n_row + 1, sizeof *row_mate),
                            *const column_mate =
                                calloc((size_t)m->n_column + 1, sizeof *column_mate),
                            *const excess = calloc((size_t)n_block + 2, sizeof *excess);
    if (!row_mate || !column_mate || !excess ||
        match_within(m, n_block, row_block, column_block, row_mate, column_mate) < 0)
        return -1;
    for (int i = 0; i < m->n_row; i++)
        excess[row_block[i]] += 1;
    for (int j = 0; j < m->n_column; j++)
        excess[column_block[j]] -= 1;
    for (int i = m->n_row - 1; i >= 0; i--)
        if (row_block[i] < n_block && row_mate[i] < 0 && excess[row_block[i]] > 0) {
            excess[row_block[i]]--;
            row_block[i] = n_block;
        }
    for (int j = m->n_column - 1; j >= 0; j--)
        if (column_block[j] < n_block && column_mate[j] < 0 && excess[column_block[j]] < 0) {
            excess[column_block[j]]++;
            column_block[j] = n_block;
        }
    return 0;
}

/* ---- tries ---- */

typedef struct attempt {
    const wr_matrix *matrix;
    const wr_block_request *request;
    graph graph;
    int *part;         /* [graph.n] part of each vertex, from 0; n_block: the border, -1: none */
    int *count;        /* [n_block + 1] number of vertices of each part */
    int *row_block;    /* [n_row] block of each row in the present attempt */
    int *column_block; /* [n_column] block of each column in the present attempt */
} attempt;

static int find_parts(attempt *a, unsigned seed, double imbalance)
{
    const int n_block = a->request->n_block;
    for (int v = 0; v < a->graph.n; v++) { /* vertices without entries are in no part */
        const int has_edges = a->graph.start[v + 1] > a->graph.start[v];
        a->part[v] =
            has_edges || (a->request->is_paired && wr_matrix_find(a->matrix, v, v) >= 0) ? 0 : -1;
    }
    for (int p = 1; p < n_block; p++)
        if (cut(&a->graph, a->part, largest_part(a->part, a->graph.n, a->count, p), p, n_block,
                seed, imbalance) < 0)
            return -1;
    return 0;
}

/* Writes the block of each row and column. In a square matrix a row or column without entries gets the block of its
 * pair, in other matrices no block. */
static void assign(attempt *a)
{
    const wr_matrix *const m = a->matrix;
    const int is_square = m->n_row == m->n_column, unused = a->request->n_block + 1;
    for (int i = 0; i < m->n_row; i++)
        a->row_block[i] = a->part[i];
    for (int j = 0; j < m->n_column; j++)
        a->column_block[j] = a->part[column_vertex(m, j, a->request->is_paired)];
    for (int i = 0; i < m->n_row && is_square; i++) {
        if (a->row_block[i] < 0)
            a->row_block[i] = a->column_block[i];
        if (a->column_block[i] < 0)
            a->column_block[i] = a->row_block[i];
    }
    for (int i = 0; i < m->n_row; i++)
        a->row_block[i] = a->row_block[i] < 0 ? unused : a->row_block[i];
    for (int j = 0; j < m->n_column; j++)
        a->column_block[j] = a->column_block[j] < 0 ? unused : a->column_block[j];
}

static wrsim_status try_one(attempt *a, unsigned seed, double imbalance, wr_block_form **best,
                            wrsim_error *err)
{
    const wr_matrix *const m = a->matrix;
    const int is_paired = a->request->is_paired;
    wr_block_form *form = NULL;
    if (find_parts(a, seed, imbalance) < 0)
        return wr_error_set(err, WRSIM_E_MEMORY,
                            "METIS finds no vertex separator; request fewer blocks by --blocks, "
                            "or use --form singly");
    assign(a);
    if (m->n_row == m->n_column && !is_paired &&
        make_square(m, a->request->n_block, a->row_block, a->column_block) < 0)
        return wr_error_memory(err);
    WR_TRY(wr_block_form_create(m, a->request->n_block, a->row_block, a->column_block,
                                a->request->counts_rows, &form, err));
    wr_block_form_take(best, form, a->request->imbalance);
    return WRSIM_OK;
}

static wrsim_status try_all(attempt *a, wr_block_form **best, wrsim_error *err)
{
    const int n_seed = a->matrix->n_nonzero > LARGE ? N_SEED_LARGE : N_SEED;
    for (int s = 0; s < n_seed; s++)
        for (size_t k = 0; k < WR_COUNT_OF(looser); k++)
            WR_TRY(try_one(a, a->request->seed + (unsigned)s, looser[k] * a->request->imbalance,
                           best, err));
    return WRSIM_OK;
}

wrsim_status wr_doubly_make(const wr_matrix *m, const wr_block_request *request,
                            wr_block_form **ret_form, wrsim_error *err)
{
    wr_block_form *best = NULL;
    attempt a = {.matrix = m, .request = request};
    WR_TRY(wr_block_request_check(m, request, err));
    WR_TRY(wr_connected_make(m, request, &best, err));
    if (best) {
        *ret_form = best;
        return WRSIM_OK;
    }
    wrsim_status status = WRSIM_E_MEMORY;
    const size_t n_row = (size_t)m->n_row, n_column = (size_t)m->n_column;
    WR_AUTO_FREE int *const block =
        calloc(2 * (n_row + n_column) + (size_t)request->n_block + 1, sizeof *block);
    if (block && graph_of(m, request->is_paired, &a.graph) == 0) {
        a.row_block = block;
        a.column_block = a.row_block + n_row;
        a.part = a.column_block + n_column;
        a.count = a.part + n_row + n_column;
        status = try_all(&a, &best, err);
        graph_done(&a.graph);
    } else
        wr_error_set(err, status, "out of memory for a graph of the matrix");
    if (status < 0)
        wr_block_form_destroy(&best);
    else
        *ret_form = best;
    return status;
}
