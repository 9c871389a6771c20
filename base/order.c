/* Orders of directed graphs: strong components and Gauss-Seidel levels. See order.h.
 *
 * A depth-first search with one stack finds strong components (R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput.
 * 1(2), 1972). The search is a loop, so that long chains use heap memory instead of the stack. A greedy method cuts cycles: the next vertex
 * has no remaining incoming arcs, or the largest number of outgoing less incoming arcs (after P. Eades, X. Lin and W. F. Smyth, "A fast and
 * effective heuristic for the feedback arc set problem", Inf. Process. Lett. 47, 1993).
 *
 * Thread: any. Real-time: no (setup only).
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/order.h"
#include "base/rows.h"

typedef struct search {
    const int *arc_start, *arc;
    int *index; /* number of each vertex in the order of discovery (Tarjan's NUMBER); -1: not yet */
    int *low;   /* least known index reachable from a vertex through the stack (Tarjan's LOWLINK) */
    int *next_arc;
    int *path, n_path;   /* vertices whose arcs the search follows */
    int *stack, n_stack; /* discovered vertices without a strong component */
    int n_index, n_scc;
    int *scc; /* strong component of each vertex; -1: not yet */
} search;

static void discover(search *work, int v)
{
    work->index[v] = work->low[v] = work->n_index++;
    work->next_arc[v] = work->arc_start[v + 1];
    work->path[work->n_path++] = v;
    work->stack[work->n_stack++] = v;
}

static void keep_lower(int *low, int value) { *low = value < *low ? value : *low; }

static void search_from(search *work, int root)
{
    discover(work, root);
    while (work->n_path > 0) {
        const int v = work->path[work->n_path - 1];
        if (work->next_arc[v] == work->arc_start[v]) { /* the search has followed all arcs of v */
            work->n_path--;
            if (work->n_path > 0)
                keep_lower(&work->low[work->path[work->n_path - 1]], work->low[v]);
            if (work->low[v] != work->index[v])
                continue;
            /* v is the root of a strong component, which is complete. */
            int member;
            do {
                member = work->stack[--work->n_stack];
                work->scc[member] = work->n_scc;
            } while (member != v);
            work->n_scc++;
            continue;
        }
        const int to = work->arc[--work->next_arc[v]];
        if (work->index[to] < 0)
            discover(work, to);
        else if (work->scc[to] < 0)
            keep_lower(&work->low[v], work->index[to]);
    }
}

int wr_order_scc(int n, const int *arc_start, const int *arc, int *ret_scc)
{
    WR_ASSERT(n >= 0);
    int *const memory = malloc(((size_t)n + 1) * 5 * sizeof *memory);
    if (!memory)
        return -1;
    search work = {.arc_start = arc_start,
                   .arc = arc,
                   .index = memory,
                   .low = memory + n,
                   .next_arc = memory + 2 * (size_t)n,
                   .path = memory + 3 * (size_t)n,
                   .stack = memory + 4 * (size_t)n,
                   .scc = ret_scc};
    for (int v = 0; v < n; v++)
        work.index[v] = ret_scc[v] = -1;
    /* The search visits vertices and arcs backwards and finds the last strong component first. So the vertices of a graph without arcs keep
     * their order. */
    for (int v = n - 1; v >= 0; v--)
        if (work.index[v] < 0)
            search_from(&work, v);
    for (int v = 0; v < n; v++)
        ret_scc[v] = work.n_scc - 1 - ret_scc[v];
    free(memory);
    return work.n_scc;
}

/* Heap of the vertices that have no level yet; the root is the next vertex. */
typedef struct queue {
    const int *scc;
    int *n_in, *n_out; /* arcs from, to heap vertices of the same strong component */
    int *heap, *place; /* place[v]: place of v in the heap; -1: v has left the heap */
    int n_heap;
} queue;

static int goes_before(const queue *q, int a, int b)
{
    if (q->scc[a] != q->scc[b])
        return q->scc[a] < q->scc[b];
    const int a_is_free = q->n_in[a] == 0, b_is_free = q->n_in[b] == 0;
    if (a_is_free != b_is_free)
        return a_is_free;
    const int a_gain = q->n_out[a] - q->n_in[a], b_gain = q->n_out[b] - q->n_in[b];
    if (!a_is_free && a_gain != b_gain)
        return a_gain > b_gain;
    return a < b;
}

static void swap_places(queue *q, int i, int j)
{
    const int v = q->heap[i];
    q->heap[i] = q->heap[j];
    q->heap[j] = v;
    q->place[q->heap[i]] = i;
    q->place[q->heap[j]] = j;
}

/* Restores the heap order after a change of the vertex at place i. */
static void settle(queue *q, int i)
{
    for (; i > 0 && goes_before(q, q->heap[i], q->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap_places(q, i, (i - 1) / 2);
    for (int child = 2 * i + 1; child < q->n_heap; child = 2 * i + 1) {
        if (child + 1 < q->n_heap && goes_before(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!goes_before(q, q->heap[child], q->heap[i]))
            return;
        swap_places(q, i, child);
        i = child;
    }
}

/* A graph with its arcs in both directions. */
typedef struct arcs {
    int n;
    const int *start, *to;
    int *back_start, *from; /* [n + 2] and [number of arcs]: arcs into each vertex */
} arcs;

/* Removes the arcs of v, which is no longer in the heap, from the counts of the neighbours in the heap. Arcs between strong components have
 * no effect, because strong components follow one another. */
static void forget_arcs(const arcs *graph, queue *q, int v)
{
    for (int i = graph->start[v]; i < graph->start[v + 1]; i++) {
        const int to = graph->to[i];
        if (q->place[to] >= 0 && q->scc[to] == q->scc[v]) {
            q->n_in[to]--;
            settle(q, q->place[to]);
        }
    }
    for (int i = graph->back_start[v]; i < graph->back_start[v + 1]; i++) {
        const int from = graph->from[i];
        if (q->place[from] >= 0 && q->scc[from] == q->scc[v]) {
            q->n_out[from]--;
            settle(q, q->place[from]);
        }
    }
}

/* Counts the arcs inside strong components and builds the heap. */
static void fill_queue(const arcs *graph, queue *q)
{
    memset(q->n_in, 0, (size_t)graph->n * sizeof *q->n_in);
    memset(q->n_out, 0, (size_t)graph->n * sizeof *q->n_out);
    for (int v = 0; v < graph->n; v++)
        for (int i = graph->start[v]; i < graph->start[v + 1]; i++)
            if (graph->to[i] != v && q->scc[graph->to[i]] == q->scc[v]) {
                q->n_out[v]++;
                q->n_in[graph->to[i]]++;
            }
    for (int v = 0; v < graph->n; v++) {
        q->heap[v] = v;
        q->place[v] = v;
        q->n_heap = v + 1;
        settle(q, v);
    }
}

/* Returns the least level above the levels of all predecessors of v that no successor of v has. Vertices without a level do not count.
 * mark[level] == v: an arc leads from v to this level. */
static int level_of(const arcs *graph, const int *level, int *mark, int v)
{
    int least = 0;
    for (int i = graph->back_start[v]; i < graph->back_start[v + 1]; i++)
        if (graph->from[i] != v && level[graph->from[i]] >= least)
            least = level[graph->from[i]] + 1;
    for (int i = graph->start[v]; i < graph->start[v + 1]; i++)
        if (graph->to[i] != v && level[graph->to[i]] >= 0)
            mark[level[graph->to[i]]] = v;
    while (mark[least] == v)
        least++;
    return least;
}

int wr_order_levels(int n, const int *arc_start, const int *arc, int *ret_level)
{
    const size_t n_arc = (size_t)arc_start[n], n_vertex = (size_t)n + 2;
    int n_level = -1;
    int *const memory = malloc((7 * n_vertex + n_arc + 1) * sizeof *memory);
    if (!memory)
        return -1;
    int *const scc = memory + 5 * n_vertex, *const mark = memory + 6 * n_vertex;
    arcs graph = {.n = n,
                  .start = arc_start,
                  .to = arc,
                  .back_start = memory + 4 * n_vertex,
                  .from = memory + 7 * n_vertex};
    queue q = {.scc = scc,
               .n_in = memory,
               .n_out = memory + n_vertex,
               .heap = memory + 2 * n_vertex,
               .place = memory + 3 * n_vertex};
    if (wr_order_scc(n, arc_start, arc, scc) < 0)
        goto out;
    memset(graph.back_start, 0, n_vertex * sizeof *graph.back_start);
    const wr_rows back = {graph.back_start, graph.from};
    for (int i = 0; i < arc_start[n]; i++)
        wr_rows_count(&back, arc[i]);
    wr_rows_begin(&back, n);
    for (int v = 0; v < n; v++)
        for (int i = arc_start[v]; i < arc_start[v + 1]; i++)
            wr_rows_put(&back, arc[i], v);
    fill_queue(&graph, &q);
    for (int v = 0; v < n; v++)
        ret_level[v] = mark[v] = -1;
    mark[n] = -1; /* levels are at most n - 1, and level_of() reads one more element */
    n_level = 0;
    while (q.n_heap > 0) {
        const int v = q.heap[0];
        swap_places(&q, 0, --q.n_heap);
        q.place[v] = -1;
        if (q.n_heap > 0)
            settle(&q, 0);
        forget_arcs(&graph, &q, v);
        ret_level[v] = level_of(&graph, ret_level, mark, v);
        if (ret_level[v] >= n_level)
            n_level = ret_level[v] + 1;
    }
out:
    free(memory);
    return n_level;
}
