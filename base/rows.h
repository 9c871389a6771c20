/* Compressed rows: the items of row i are item[start[i]] to item[start[i + 1] - 1]. Two passes over the items build them
 * (counting sort): wr_rows_count for all, wr_rows_begin, wr_rows_put for all. Items of a row keep the order of the puts.
 *
 * start has n_row + 2 places, initially zero. The count of row i is in start[i + 2], so that wr_rows_put moves
 * start[i + 1] from the beginning of row i to its end. The caller owns both arrays.
 *
 * Thread: one owner. Real-time: yes. */
#ifndef WR_ROWS_H
#define WR_ROWS_H

typedef struct wr_rows {
    int *start, *item;
} wr_rows;

static inline void wr_rows_count(const wr_rows *rows, int i_row) { rows->start[i_row + 2]++; }

/* Sets the beginnings of the rows after all counts. rows->start[n_row + 1] is then the number of items. */
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
