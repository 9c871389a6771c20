/* Spy plots. See svg_spy.h. Thread: any. Real-time: no. */
#include "base/svg_spy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BODY = 640,
    CELL_MAX = 22,
    NAMED_CELL = 10,
    MARGIN = 20,
    TITLE = 30,
    TEXT = 18,
    NOTE = 24,
    DOT_MIN = 2,
    LABEL = 11,      /* least distance of two names of components, pixels */
    LEADER = 14,     /* width of the lines between these names and the drawing, pixels */
    LABELS_MAX = 150 /* a drawing with more groups shows no names of components (assumed) */
};
/* pixels per character at font size 10, sans-serif (assumed) */
static const double character = 6.2;

/* shades of grey, from the largest magnitude to the smallest */
static const char *const shades[] = {"#000000", "#444444", "#777777", "#9c9c9c", "#bdbdbd"};
static const char marked_fill[] = "#d55e00", block_stroke[] = "#0072b2", grid_stroke[] = "#eee";
static const char component_stroke[] = "#bbb";

typedef struct layout {
    /* size of a cell, and of its square with margins (at least DOT_MIN), pixels */
    double cell, dot;
    double left, top, width, height;
    int has_names;
    int n_row_group, n_column_group;     /* groups with a name of a component; 0: no such names */
    int has_row_label, has_column_label; /* the drawing shows the names of components */
    double right, bottom; /* ends of the cells and of the names of components, pixels */
} layout;

/* A group: consecutive rows, or columns, of one component. */
typedef struct group {
    int first, end;
    const char *name; /* begins with the name of the component */
    int n_bytes;      /* length of the component's name */
} group;

/* Returns the length of the component's name in "component.variable", or 0 for other names. */
static int component_bytes(const char *name)
{
    const size_t n = strcspn(name, ".");
    return name[n] ? (int)n : 0;
}

/* Returns the group that begins at `first`. */
static group group_at(const char *const *names, int n, int first)
{
    group g = {.first = first, .name = names[first], .n_bytes = component_bytes(names[first])};
    for (g.end = first + 1; g.end < n && component_bytes(names[g.end]) == g.n_bytes &&
                            strncmp(names[g.end], g.name, (size_t)g.n_bytes) == 0;
         g.end++)
        continue;
    return g;
}

/* Returns the number of groups, or 0 without names, or if a name has no component. */
static int count_groups(const char *const *names, int n)
{
    int n_group = 0;
    for (int i = 0; names && i < n; n_group++) {
        const group g = group_at(names, n, i);
        if (g.n_bytes == 0)
            return 0;
        i = g.end;
    }
    return n_group;
}

/* Returns the width of the longest name of a component with its line, pixels. */
static double longest_component(const char *const *names, int n)
{
    int most = 0;
    for (int i = 0; i < n; i++)
        most = component_bytes(names[i]) > most ? component_bytes(names[i]) : most;
    return LEADER + character * most + 8.0;
}

/* Returns the width of the longest name, pixels. names NULL: the width of a number of five digits. */
static double longest(const char *const *names, int n)
{
    size_t most = names ? 2 : 5;
    for (int i = 0; names && i < n; i++)
        if (strlen(names[i]) > most)
            most = strlen(names[i]);
    return character * (double)most + 8.0;
}

/* Returns the end of the names of components beside cells that begin at `from`, pixels. */
static double labels_end(const char *const *names, int n, double cell, double from)
{
    double at = from;
    for (int i = 0; i < n;) {
        const group g = group_at(names, n, i);
        at = wr_max(at, from + 0.5 * cell * (g.first + g.end)) + LABEL;
        i = g.end;
    }
    return at;
}

static layout layout_of(const wr_svg_spy *spy)
{
    const wr_matrix *const m = spy->matrix;
    const int n = m->n_row > m->n_column ? m->n_row : m->n_column;
    layout l = {.cell = wr_min(CELL_MAX, (double)BODY / (n > 0 ? n : 1))};
    l.has_names = l.cell >= NAMED_CELL;
    l.dot = wr_max(l.cell, DOT_MIN);
    l.n_row_group = count_groups(spy->row_name, m->n_row);
    l.n_column_group = count_groups(spy->column_name, m->n_column);
    l.has_row_label = !l.has_names && l.n_row_group > 0 && l.n_row_group <= LABELS_MAX;
    l.has_column_label = !l.has_names && l.n_column_group > 0 && l.n_column_group <= LABELS_MAX;
    l.left = MARGIN + (spy->row_text ? TEXT : 0.0) +
             (l.has_names       ? longest(spy->row_name, m->n_row)
              : l.has_row_label ? longest_component(spy->row_name, m->n_row)
                                : longest(NULL, 0));
    l.top = MARGIN + TITLE + (spy->column_text ? TEXT : 0.0) +
            (l.has_names          ? longest(spy->column_name, m->n_column)
             : l.has_column_label ? longest_component(spy->column_name, m->n_column)
                                  : TEXT);
    l.width = l.cell * m->n_column;
    l.height = l.cell * m->n_row;
    l.right = l.left + l.width;
    l.bottom = l.top + l.height;
    if (l.has_column_label)
        l.right = wr_max(l.right, labels_end(spy->column_name, m->n_column, l.cell, l.left));
    if (l.has_row_label)
        l.bottom = wr_max(l.bottom, labels_end(spy->row_name, m->n_row, l.cell, l.top));
    return l;
}

static const char *name_of(const char *const *names, int i, char number[16])
{
    if (names)
        return names[i];
    snprintf(number, 16, "%d", i);
    return number;
}

/* Largest magnitude, smallest magnitude above 0, and number of decades per shade. */
typedef struct scale {
    double most, least, decades;
} scale;

static scale scale_of(const wr_matrix *m)
{
    scale s = {.most = 0.0, .least = (double)INFINITY};
    for (int i = 0; m->value && i < m->n_nonzero; i++) {
        const double size = fabs(m->value[i]);
        s.most = wr_max(s.most, size);
        if (size > 0.0)
            s.least = wr_min(s.least, size);
    }
    s.decades =
        s.most > 0.0 ? wr_max(1.0, log10(s.most / s.least) / (double)WR_COUNT_OF(shades)) : 1.0;
    return s;
}

static void draw_cells(wr_svg *svg, const wr_svg_spy *spy, const layout *l)
{
    const wr_matrix *const m = spy->matrix;
    const scale by = scale_of(m);
    const double gap = l->cell >= NAMED_CELL ? 1.0 : 0.0;
    const int last = (int)WR_COUNT_OF(shades) - 1;
    char tip[256], row_number[16], column_number[16];
    for (int j = 0; j < m->n_column; j++)
        for (int i = m->start[j]; i < m->start[j + 1]; i++) {
            const double size = m->value ? fabs(m->value[i]) : 0.0;
            const double dark = size > 0.0 ? log10(by.most / size) / by.decades : last;
            const int shade = by.most > 0.0 ? (int)wr_clamp(dark, 0.0, last) : 0;
            int n =
                snprintf(tip, sizeof tip, "%s <- %s", name_of(spy->row_name, m->row[i], row_number),
                         name_of(spy->column_name, j, column_number));
            if (m->value && n > 0 && n < (int)sizeof tip)
                snprintf(tip + n, sizeof tip - (size_t)n, ": %.4g", m->value[i]);
            wr_svg_box(svg, l->left + l->cell * j + gap, l->top + l->cell * m->row[i] + gap,
                       l->dot - 2.0 * gap, l->dot - 2.0 * gap,
                       spy->is_marked && spy->is_marked[i] ? marked_fill : shades[shade], NULL,
                       tip);
        }
}

static void draw_names(wr_svg *svg, const wr_svg_spy *spy, const layout *l)
{
    const wr_matrix *const m = spy->matrix;
    char number[16];
    for (int i = 0; i < m->n_row; i++)
        wr_svg_text(svg, l->left - 4.0, l->top + l->cell * (i + 0.5) + 3.5, WR_SVG_END, 10.0,
                    name_of(spy->row_name, i, number));
    for (int j = 0; j < m->n_column; j++)
        wr_svg_text_up(svg, l->left + l->cell * (j + 0.5) + 3.5, l->top - 4.0, WR_SVG_START, 10.0,
                       name_of(spy->column_name, j, number));
}

/* Draws the name of each component beside its rows or above its columns, with a line to the middle of the group. The names keep a distance,
 * so a name may be below, or right of, its group. */
static void draw_components(wr_svg *svg, const layout *l, int is_row, const char *const *names,
                            int n)
{
    char text[64];
    double at = is_row ? l->top : l->left; /* least position of the next name */
    for (int i = 0; i < n;) {
        const group g = group_at(names, n, i);
        const double middle = (is_row ? l->top : l->left) + 0.5 * l->cell * (g.first + g.end);
        const double place = wr_max(middle, at);
        snprintf(text, sizeof text, "%.*s", g.n_bytes, g.name);
        if (is_row) {
            wr_svg_line(svg, l->left - LEADER, place, l->left - 2.0, middle, component_stroke, 1.0);
            wr_svg_text(svg, l->left - LEADER - 3.0, place + 3.5, WR_SVG_END, 10.0, text);
        } else {
            wr_svg_line(svg, place, l->top - LEADER, middle, l->top - 2.0, component_stroke, 1.0);
            wr_svg_text_up(svg, place + 3.5, l->top - LEADER - 3.0, WR_SVG_START, 10.0, text);
        }
        at = place + LABEL;
        i = g.end;
    }
}

/* Draws the names of components, or the numbers of the first and last row and column, for cells that are too small for names. */
static void draw_numbers(wr_svg *svg, const wr_svg_spy *spy, const layout *l)
{
    char number[16];
    if (l->has_row_label)
        draw_components(svg, l, 1, spy->row_name, spy->matrix->n_row);
    else {
        wr_svg_text(svg, l->left - 4.0, l->top + 9.0, WR_SVG_END, 10.0, "0");
        snprintf(number, sizeof number, "%d", spy->matrix->n_row - 1);
        wr_svg_text(svg, l->left - 4.0, l->top + l->height, WR_SVG_END, 10.0, number);
    }
    if (l->has_column_label) {
        draw_components(svg, l, 0, spy->column_name, spy->matrix->n_column);
        return;
    }
    wr_svg_text(svg, l->left, l->top - 4.0, WR_SVG_START, 10.0, "0");
    snprintf(number, sizeof number, "%d", spy->matrix->n_column - 1);
    wr_svg_text(svg, l->left + l->width, l->top - 4.0, WR_SVG_END, 10.0, number);
}

/* Draws a line before each group except the first. */
static void draw_borders(wr_svg *svg, const layout *l, int is_row, const char *const *names, int n)
{
    for (int i = group_at(names, n, 0).end; i < n; i = group_at(names, n, i).end) {
        const double d = l->cell * i;
        if (is_row)
            wr_svg_line(svg, l->left, l->top + d, l->left + l->width, l->top + d, component_stroke,
                        1.0);
        else
            wr_svg_line(svg, l->left + d, l->top, l->left + d, l->top + l->height, component_stroke,
                        1.0);
    }
}

/* Draws lines before the rows, or columns, at[1] to at[n - 1]. at NULL: lines before rows or columns 1 to n - 1. */
static void draw_lines(wr_svg *svg, const layout *l, int is_row, const int *at, int n,
                       const char *stroke, double stroke_width)
{
    for (int i = 1; i < n; i++) {
        const double d = l->cell * (at ? at[i] : i);
        if (is_row)
            wr_svg_line(svg, l->left, l->top + d, l->left + l->width, l->top + d, stroke,
                        stroke_width);
        else
            wr_svg_line(svg, l->left + d, l->top, l->left + d, l->top + l->height, stroke,
                        stroke_width);
    }
}

wrsim_status wr_svg_spy_write(const wr_svg_spy *spy, const char *path, wrsim_error *err)
{
    const layout l = layout_of(spy);
    const wr_matrix *const m = spy->matrix;
    wr_svg svg;
    char count[96];
    /* width of the title with margins, pixels; 8.4 per character at font size 15 (assumed) */
    const double title = 2.0 * MARGIN + 8.4 * (double)(spy->title ? strlen(spy->title) : 0);
    wr_svg_begin(&svg, wr_max(l.right + MARGIN, wr_max(360.0, title)),
                 l.bottom + MARGIN + TEXT + (spy->note ? NOTE : 0.0));
    if (spy->title)
        wr_svg_text(&svg, MARGIN, MARGIN + 6.0, WR_SVG_START, 15.0, spy->title);
    if (spy->column_text)
        wr_svg_text(&svg, l.left + 0.5 * l.width, MARGIN + TITLE, WR_SVG_MIDDLE, 12.0,
                    spy->column_text);
    if (spy->row_text)
        wr_svg_text_up(&svg, MARGIN, l.top + 0.5 * l.height, WR_SVG_MIDDLE, 12.0, spy->row_text);
    wr_svg_box(&svg, l.left, l.top, l.width, l.height, "#fff", NULL, NULL);
    draw_lines(&svg, &l, 1, NULL, l.has_names ? m->n_row : 0, grid_stroke, 1.0);
    draw_lines(&svg, &l, 0, NULL, l.has_names ? m->n_column : 0, grid_stroke, 1.0);
    if (l.n_row_group > 1)
        draw_borders(&svg, &l, 1, spy->row_name, m->n_row);
    if (l.n_column_group > 1)
        draw_borders(&svg, &l, 0, spy->column_name, m->n_column);
    draw_cells(&svg, spy, &l);
    draw_lines(&svg, &l, 1, spy->row_block, spy->row_block ? spy->n_row_block : 0, block_stroke,
               1.2);
    draw_lines(&svg, &l, 0, spy->column_block, spy->column_block ? spy->n_column_block : 0,
               block_stroke, 1.2);
    wr_svg_box(&svg, l.left, l.top, l.width, l.height, NULL, "#333", NULL);
    (l.has_names ? draw_names : draw_numbers)(&svg, spy, &l);
    const scale by = scale_of(m);
    const int n =
        snprintf(count, sizeof count, "%d by %d, %d entries", m->n_row, m->n_column, m->n_nonzero);
    if (by.most > 0.0)
        snprintf(count + n, sizeof count - (size_t)n, ", %.3g (black) to %.3g", by.most, by.least);
    wr_svg_text(&svg, MARGIN, l.bottom + TEXT, WR_SVG_START, 11.0, count);
    if (spy->note)
        wr_svg_text(&svg, MARGIN, l.bottom + TEXT + NOTE - 6.0, WR_SVG_START, 11.0, spy->note);
    return wr_svg_write(&svg, path, err);
}
