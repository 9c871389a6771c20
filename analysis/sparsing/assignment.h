/* Pairing rows and columns of a small table at least cost.
 *
 * Thread: any, on different data. Real-time: no.
 */
#ifndef WR_ASSIGNMENT_H
#define WR_ASSIGNMENT_H

/* The matching of all rows with all columns whose sum of cost[column * n + row] is least: the row of each column into
 * ret_row[n]. Costs are finite. Returns 0, or -1 when out of memory. (Kuhn 1955; shortest augmenting paths, Jonker
 * and Volgenant 1987.) */
int wr_assignment(int n, const double *cost, int *ret_row);

#endif
