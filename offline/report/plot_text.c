/* A plot as text for a terminal. See plot.h. Thread: one owner. Real-time: no. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "offline/report/plot.h"

/* Rows of a panel, and columns left of it (assumed: three panels fit a screen). */
enum { ROWS = 13, LEFT = 13 };

static const char marks[] = "*+oxsdvn";

static char mark_of(int i) { return marks[(size_t)i % (sizeof marks - 1)]; }

/* Returns the row of a value; row 0 is the top. */
static int row_of(const wr_plot_panel *p, double value)
{
    const double part = (value / 2.0 - p->low / 2.0) / (p->high / 2.0 - p->low / 2.0);
    const int row = (int)lround((1.0 - part) * (ROWS - 1));
    return row < 0 ? 0 : row >= ROWS ? ROWS - 1 : row;
}

static int column_of(const wr_plot *plot, double t_s, int n_column)
{
    const double part =
        (t_s / 2.0 - plot->start_s / 2.0) / (plot->end_s / 2.0 - plot->start_s / 2.0);
    const int column = (int)lround(part * (n_column - 1));
    return column < 0 ? 0 : column >= n_column ? n_column - 1 : column;
}

/* Draws the line from the last point to this point, column by column. The line of a column reaches from its first to its last row. */
static void draw_line(char *cell, int n_column, int column, int row, int to_column, int to_row,
                      char mark)
{
    const int n = to_column > column ? to_column - column : 1;
    for (int k = 0; k < n; k++) {
        const int begin = row + (to_row - row) * k / n, end = row + (to_row - row) * (k + 1) / n;
        const int x = to_column > column ? column + k + 1 : column;
        for (int y = begin < end ? begin : end; y <= (begin < end ? end : begin); y++)
            if (y != begin || begin == end)
                cell[y * n_column + x] = mark;
    }
}

static void draw_curve(const wr_plot *plot, const wr_plot_panel *p, int i_curve, char *cell,
                       int n_column)
{
    const wr_plot_curve *const c = &p->curve[i_curve];
    int column = -1, row = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (isnan(c->value[i])) {
            column = -1;
            continue;
        }
        const int to_column = column_of(plot, c->t_s[i], n_column), to_row = row_of(p, c->value[i]);
        if (column >= 0)
            draw_line(cell, n_column, column, row, to_column, to_row, mark_of(i_curve));
        cell[to_row * n_column + to_column] = mark_of(i_curve);
        column = to_column;
        row = to_row;
    }
}

static void draw_panel(const wr_plot *plot, const wr_plot_panel *p, int n_column, char *cell,
                       wr_text_buffer *to)
{
    for (int i = 0; i < p->n; i++)
        wr_text_buffer_add(to, "%s%c %s", i > 0 ? "   " : "", mark_of(i), p->curve[i].label);
    wr_text_buffer_add(to, p->unit[0] ? " [%s]\n" : "%s\n", p->unit);
    memset(cell, ' ', (size_t)ROWS * (size_t)n_column);
    for (int i = 0; i < p->n; i++)
        draw_curve(plot, p, i, cell, n_column);
    for (int row = 0; row < ROWS; row++) {
        const double part = 1.0 - (double)row / (ROWS - 1);
        int n = n_column;
        while (n > 0 && cell[row * n_column + n - 1] == ' ')
            n--;
        if (row % ((ROWS - 1) / 2) == 0)
            wr_text_buffer_add(to, "%*.5g |", LEFT - 2, p->low * (1.0 - part) + p->high * part);
        else
            wr_text_buffer_add(to, "%*s|", LEFT - 1, "");
        wr_text_buffer_add(to, "%.*s\n", n, cell + row * n_column);
    }
}

void wr_plot_text(const wr_plot *plot, int columns, wr_text_buffer *to)
{
    const int n_column = (columns < 40 ? 40 : columns) - LEFT - 1;
    char *const cell = malloc((size_t)ROWS * (size_t)n_column + 1);
    char start[32], end[32];
    if (!cell)
        wr_text_buffer_fail(to);
    for (int i = 0; cell && i < plot->n; i++)
        draw_panel(plot, &plot->panel[i], n_column, cell, to);
    free(cell);
    snprintf(start, sizeof start, "%.6g", plot->start_s);
    snprintf(end, sizeof end, "%.6g s", plot->end_s);
    wr_text_buffer_add(to, "%*s+", LEFT - 1, "");
    for (int i = 0; i < n_column; i++)
        wr_text_buffer_add(to, "-");
    wr_text_buffer_add(to, "\n%*s%s%*s\n", LEFT, "", start, n_column - (int)strlen(start), end);
}
