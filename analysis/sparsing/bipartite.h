/* Matching the rows and columns of small tables: as many as possible, or all at least cost.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_BIPARTITE_H
#define WR_BIPARTITE_H

/* A largest matching where allowed[column * n + row] is set: the row of each column into ret_row[n], -1: none. Returns its
 * size, or -1 when out of memory. (Augmenting paths; the diagonal is tried first.) */
int wr_bipartite_match(int n, const unsigned char *allowed, int *ret_row);

/* The matching of all rows with all columns whose sum of cost[column * n + row] is least: the row of each column into
 * ret_row[n]. Costs are finite. Returns 0, or -1 when out of memory. (Kuhn 1955; shortest augmenting paths, Jonker
 * and Volgenant 1987.) */
int wr_bipartite_assign(int n, const double *cost, int *ret_row);

#endif
