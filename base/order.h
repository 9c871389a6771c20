/* Orders of directed graphs: strong components and levels. Thread: any. Real-time: no (setup only). */
#ifndef WR_ORDER_H
#define WR_ORDER_H

/* Finds the strong components of a directed graph with the adjacency lists arc_start[n + 1], arc[]. An arc a -> b means that b needs a.
 * Writes the number of each vertex's strong component to ret_scc[n]; arcs between components go from lower to higher numbers. Returns the
 * number of strong components, or -1 when memory is exhausted. */
int wr_order_scc(int n, const int *arc_start, const int *arc, int *ret_scc);

/* Finds levels for Gauss-Seidel sweeps: the order of levels follows the arcs, except feedback arcs, which a greedy method chooses. Vertices
 * of one level have no arcs between them. Writes ret_level[n]. Returns the number of levels, or -1 when memory is exhausted. */
int wr_order_levels(int n, const int *arc_start, const int *arc, int *ret_level);

#endif
