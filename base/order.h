/* Orders of directed graphs: strong components and levels.
 *
 * Thread: any. Real-time: no (setup only).
 */
#ifndef WR_ORDER_H
#define WR_ORDER_H

/* Strong components of a directed graph given as adjacency lists (Tarjan 1972), in topological
 * order: an arc a -> b means b needs a. arc_start[n + 1], arc[]. Writes scc[n] = number of the
 * strong component of each vertex, numbered so that arcs go from lower to higher numbers; returns
 * how many there are, or -1 when out of memory. */
int wr_order_scc(int n, const int *arc_start, const int *arc, int *ret_scc);

/* Levels for Gauss-Seidel between subsystems: vertices are ordered along the arcs as far as cycles
 * allow (feedback arcs greedily ignored); vertices of one level do not drive one another. Writes
 * level[n] and returns the number of levels, or -1 when out of memory. */
int wr_order_levels(int n, const int *arc_start, const int *arc, int *ret_level);

#endif
