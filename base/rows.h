/* Compressed rows: the items of row i are item[start[i]] to item[start[i + 1] - 1]. Built in two
 * passes over the same items (counting sort): count all, begin, put all; within a row they keep
 * the order in which they were put.
 *
 * start has n_row + 2 places, zero at first: counts stand two places further on, so that filling
 * moves start[i + 1] from the beginning of row i to its end. The caller owns both arrays.
 *
 * Thread: one owner. Real-time: yes.
 */
#ifndef WR_ROWS_H
#define WR_ROWS_H

typedef struct wr_rows {
    int *start, *item;
} wr_rows;

static inline void wr_rows_count(const wr_rows *rows, int i_row) { rows->start[i_row + 2]++; }

/* After the counts. rows->start[n_row + 1] is then the number of items. */
static inline void wr_rows_begin(const wr_rows *rows, int n_row)
{
    for (int i = 0; i < n_row; i++)
        rows->start[i + 2] += rows->start[i + 1];
}

static inline void wr_rows_put(const wr_rows *rows, int i_row, int item)
{
    rows->item[rows->start[i_row + 1]++] = item;
}

#endif
