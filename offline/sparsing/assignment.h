/* Assigns each row of a small cost table to one column at the least total cost.
 *
 * Thread: any, on different data. Real-time: no. */
#ifndef WR_ASSIGNMENT_H
#define WR_ASSIGNMENT_H

/* Finds the bijective assignment of n rows to n columns with the least sum of cost[column * n + row]. Writes the
 * row that belongs to each column to ret_row[n]. All costs must be finite. Returns 0, or -1 when out of memory.
 * The method finds shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987). */
int wr_assignment(int n, const double *cost, int *ret_row);

#endif
