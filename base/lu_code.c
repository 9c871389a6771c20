/* Generates C code of a factorisation. See lu_code.h. Thread: one owner. Real-time: no. */
#include "base/lu_code.h"

#include "base/sparse_lu.h"

typedef struct writer {
    FILE *file;
    const wr_matrix *pattern;
    const wr_lu_plan *plan;
    const double *weight;
} writer;

static void write_array(const writer *w, const char *name, const int *value, int n)
{
    fprintf(w->file, "static const int %s[%d] = {", name, n > 0 ? n : 1);
    for (int i = 0; i < n; i++)
        fprintf(w->file, "%s%d", i == 0 ? "" : i % 16 == 0 ? ",\n    " : ", ", value[i]);
    fputs(n > 0 ? "};\n" : "0};\n", w->file);
}

/* Writes the code of v[at] = a_ij - sum over m < end of l_im u_mj, where `at` is the index of entry (i, j). The code multiplies an entry
 * below the diagonal by the reciprocal of the pivot. */
static void write_sum(const writer *w, int at, int i, int j, int end)
{
    const wr_lu_plan *const plan = w->plan;
    /* L and U by rows are the columns of the transpose. The index of an entry in the transpose is its index in v[]. */
    const wr_matrix factors = {.n_row = plan->n,
                               .n_column = plan->n,
                               .n_nonzero = plan->n_entry,
                               .start = plan->start,
                               .row = plan->entry};
    const int in_a = wr_matrix_find(w->pattern, plan->row[i], plan->column[j]);
    const int is_lower = j < i;
    fprintf(w->file, "    v[%d] = %s", at, is_lower ? "(" : "");
    if (in_a >= 0)
        fprintf(w->file, "a[%d]", in_a);
    else
        fputs("0.0", w->file);
    for (int m = plan->start[i]; m < plan->diagonal[i] && plan->entry[m] < end; m++) {
        const int u = wr_matrix_find(&factors, j, plan->entry[m]);
        if (u >= 0)
            fprintf(w->file, " - v[%d] * v[%d]", m, u);
    }
    if (is_lower)
        fprintf(w->file, ") * v[%d]", plan->diagonal[j]);
    fputs(";\n", w->file);
}

/* Writes + fabs(NAME[k]) times the weight of a column. */
static void write_size(const writer *w, const char *name, int k, int column)
{
    const double weight = w->weight ? w->weight[column] : 1.0;
    fprintf(w->file, " + fabs(%s[%d])", name, k);
    if (weight < 1.0 || weight > 1.0)
        fprintf(w->file, " * %.17g", weight);
}

/* Writes the check of row i in pivot order, with weighted columns. In this row r is the sum of |A| and t[i] the sum of |U|. s is the sum of
 * |L| |U|, which is t_i plus the sum of |l_ik| t_k. */
static void write_check(const writer *w, int i)
{
    const wr_lu_plan *const plan = w->plan;
    fputs("    r = 0.0", w->file);
    for (int j = 0; j < plan->n; j++) {
        const int k = wr_matrix_find(w->pattern, plan->row[i], j);
        if (k >= 0)
            write_size(w, "a", k, j);
    }
    fprintf(w->file, ";\n    t[%d] = 0.0", i);
    for (int m = plan->diagonal[i]; m < plan->start[i + 1]; m++)
        write_size(w, "v", m, plan->column[plan->entry[m]]);
    fprintf(w->file, ";\n    s = t[%d]", i);
    for (int m = plan->start[i]; m < plan->diagonal[i]; m++)
        fprintf(w->file, " + fabs(v[%d]) * t[%d]", m, plan->entry[m]);
    fprintf(w->file, ";\n    bad |= !(s <= %g * r) | !(r <= 1e300) | !(pivot * pivot > 0.0);\n",
            WR_LU_MOST_GROWTH);
}

/* Writes the function factor(). The check needs the diagonal entry, so the reciprocal replaces the entry after the check. */
static void write_factor(const writer *w)
{
    const wr_lu_plan *const plan = w->plan;
    fprintf(w->file,
            "static int factor(const double *restrict a, double *restrict v)\n{\n"
            "    double t[%d], pivot, r, s;\n    int bad = 0;\n",
            plan->n);
    for (int i = 0; i < plan->n; i++) {
        for (int m = plan->start[i]; m < plan->start[i + 1]; m++) {
            const int j = plan->entry[m];
            write_sum(w, m, i, j, j < i ? j : i);
        }
        fprintf(w->file, "    pivot = v[%d];\n", plan->diagonal[i]);
        write_check(w, i);
        fprintf(w->file, "    v[%d] = 1.0 / pivot;\n", plan->diagonal[i]);
    }
    fputs("    return bad;\n}\n\n", w->file);
}

static void write_solve(const writer *w)
{
    const wr_lu_plan *const plan = w->plan;
    fprintf(w->file,
            "static void solve(const double *restrict v, double *restrict b)\n{\n"
            "    double y[%d];\n",
            plan->n);
    for (int i = 0; i < plan->n; i++) {
        fprintf(w->file, "    y[%d] = b[%d]", i, plan->row[i]);
        for (int m = plan->start[i]; m < plan->diagonal[i]; m++)
            fprintf(w->file, " - v[%d] * y[%d]", m, plan->entry[m]);
        fputs(";\n", w->file);
    }
    for (int i = plan->n - 1; i >= 0; i--) {
        fprintf(w->file, "    y[%d] = (y[%d]", i, i);
        for (int m = plan->diagonal[i] + 1; m < plan->start[i + 1]; m++)
            fprintf(w->file, " - v[%d] * y[%d]", m, plan->entry[m]);
        fprintf(w->file, ") * v[%d];\n", plan->diagonal[i]);
    }
    for (int i = 0; i < plan->n; i++)
        fprintf(w->file, "    b[%d] = y[%d];\n", plan->column[i], i);
    fputs("}\n\n", w->file);
}

int wr_lu_code_write(FILE *file, const wr_matrix *pattern, const wr_lu_plan *plan,
                     const double *weight, const char *what)
{
    const writer w = {.file = file, .pattern = pattern, .plan = plan, .weight = weight};
    fprintf(file,
            "/* %s\n *\n * " WR_LU_CODE_MARK
            ": %d x %d, %d entries, %d of L and U, %lld operations "
            "to factorise, %lld to solve.\n"
            " * Compile: cc -O2 -ffp-contract=off -shared -fPIC -o NAME.so NAME.c; then [solver] "
            "code = \"NAME.so\".\n"
            " * factor() and solve() have neither branches nor loops: any matrix takes the same "
            "operations.\n */\n#include <math.h>\n\n",
            what, plan->n, plan->n, pattern->n_nonzero, plan->n_entry, (long long)plan->factor_flop,
            (long long)plan->solve_flop);
    write_array(&w, "column_start", pattern->start, plan->n + 1);
    write_array(&w, "row", pattern->row, pattern->n_nonzero);
    fputs("\n", file);
    write_factor(&w);
    write_solve(&w);
    fprintf(
        file,
        "struct wrsim_lu_code {\n    unsigned version, bytes;\n    int n, n_nonzero, n_value;\n"
        "    const int *column_start;\n    const int *row;\n    double factor_flop, solve_flop;\n"
        "    int (*factor)(const double *a, double *v);\n    void (*solve)(const double *v, double "
        "*b);\n};\n\n"
        "extern const struct wrsim_lu_code " WR_LU_CODE_SYMBOL ";\n"
        "__attribute__((visibility(\"default\"))) const struct wrsim_lu_code " WR_LU_CODE_SYMBOL
        " = {\n"
        "    %d, sizeof(struct wrsim_lu_code), %d, %d, %d, column_start, row, %lld.0, %lld.0, "
        "factor, solve};\n",
        WR_LU_CODE_VERSION, plan->n, pattern->n_nonzero, plan->n_entry,
        (long long)plan->factor_flop, (long long)plan->solve_flop);
    return fflush(file) == 0 && !ferror(file) ? 0 : -1;
}
