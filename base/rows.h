/* Compressed rows: the items of row i are item[start[i]] to item[start[i + 1] - 1]. Two passes over the items build the rows (counting
 * sort): wr_rows_count() for each item, wr_rows_begin(), then wr_rows_put() for each item. Items of a row keep the order of the puts.
 *
 * start has n_row + 2 places, initially zero. wr_rows_count() counts the items of row i in start[i + 2]. wr_rows_put() increases start[i +
 * 1] from the beginning of row i to the end of the row. The caller owns both arrays.
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
