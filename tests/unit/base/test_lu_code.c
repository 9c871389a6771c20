/* Generates, compiles and calls factorisations. Arguments: a C compiler and a writable folder. */
#include "wr_test.h"

#include <dlfcn.h>
#include <unistd.h>

#include "backward_error.h"
#include "base/dense.h"
#include "base/lu_code.h"
#include "base/sparse_lu.h"

enum { MOST = 40 };
static char compiler[256], folder[400];

static uint64_t seed = 11;

static double draw(void) { return wr_random_share(&seed); }

static const wr_matrix *random_pattern(wr_arena *arena, int n, int has_diagonal)
{
    unsigned char is_set[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        is_set[i] = draw() < 0.12;
    /* Without a diagonal, an entry beside it keeps every row and column nonempty. */
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (has_diagonal ? i == j : i == (j + 1) % n)
                is_set[j * n + i] = 1;
            else if (!has_diagonal && i == j)
                is_set[j * n + i] = 0;
    return wr_sparsity_place(arena, n, n, is_set);
}

static char *read_text(const char *path)
{
    static char text[1 << 20];
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Writes, compiles and loads the code of a pattern; returns its functions. The option "-O0" saves compile time. */
static const wr_lu_code *make(const wr_matrix *pattern, const wr_lu_plan *plan, const char *stem,
                              const char *optimisation, void **ret_handle)
{
    char source[500], object[500], command[1600];
    snprintf(source, sizeof source, "%s/%s.c", folder, stem);
    snprintf(object, sizeof object, "%s/%s.so", folder, stem);
    FILE *const file = fopen(source, "w");
    assert_non_null(file);
    assert_int_equal(wr_lu_code_write(file, pattern, plan, NULL, "a test"), 0);
    fclose(file);
    snprintf(command, sizeof command,
             "%s -std=c99 -Wall -Wextra -Werror %s -ffp-contract=off -shared -fPIC -o %s %s",
             compiler, optimisation, object, source);
    assert_int_equal(system(command), 0);
    *ret_handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(*ret_handle);
    const wr_lu_code *const code = dlsym(*ret_handle, WR_LU_CODE_SYMBOL);
    assert_non_null(code);
    assert_int_equal(code->version, WR_LU_CODE_VERSION);
    assert_int_equal(code->bytes, sizeof *code);
    return code;
}

/* Fills a matrix with dominant pivots, so that every order of the pivots is stable. */
static void fill(const wr_matrix *pattern, const int *row_of_column, double *ret_value)
{
    for (int j = 0; j < pattern->n_column; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            ret_value[i] =
                pattern->row[i] == row_of_column[j] ? 3.0 + 8.0 * draw() : 0.7 * (draw() - 0.5);
}

static void to_dense(const wr_matrix *pattern, const double *value, double *ret)
{
    const int n = pattern->n_column;
    memset(ret, 0, (size_t)n * (size_t)n * sizeof *ret);
    for (int j = 0; j < n; j++)
        for (int i = pattern->start[j]; i < pattern->start[j + 1]; i++)
            ret[j * n + pattern->row[i]] = value[i];
}

/* The generated code solves like dense elimination with pivoting. */
TEST(solves_like_dense)
{
    for (int round = 0; round < 12; round++) {
        AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
        const int n = round == 0 ? 1 : 2 + (int)(draw() * (MOST - 2));
        const wr_matrix *const pattern = random_pattern(arena, n, n == 1 || round % 3 != 0);
        AUTO(wr_lu_plan_destroy) wr_lu_plan *plan = NULL;
        int column, row_of_column[MOST];
        assert_int_equal(wr_lu_plan_create(pattern, &plan, &column), WRSIM_OK);
        assert_int_equal(wr_sparsity_match(pattern, row_of_column), n);
        void *handle;
        char stem[20];
        snprintf(stem, sizeof stem, "lu_%d", round);
        const wr_lu_code *const code =
            make(pattern, plan, stem, round == 1 ? "-O1" : "-O0", &handle);
        assert_int_equal(code->n, n);
        assert_int_equal(code->n_value, plan->n_entry);
        for (int again = 0; again < 20; again++) {
            double value[MOST * MOST], lu[MOST * MOST], dense[MOST * MOST], b[MOST], x[MOST];
            int pivot[MOST];
            fill(pattern, row_of_column, value);
            to_dense(pattern, value, dense);
            for (int i = 0; i < n; i++)
                b[i] = x[i] = draw() - 0.5;
            assert_int_equal(code->factor(value, lu), 0);
            code->solve(lu, x);
            assert_int_equal(wr_dense_factor(n, dense, pivot), 0);
            wr_dense_solve(n, dense, pivot, b);
            for (int i = 0; i < n; i++)
                assert_close(x[i], b[i], 1e-9, 1e-10);
        }
        dlclose(handle);
    }
}

/* Returns the number of operators in lines that start with begin. */
static int64_t count_operators(const char *text, const char *begin)
{
    int64_t n = 0;
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (strncmp(line, begin, strlen(begin)) != 0)
            continue;
        for (const char *at = line; *at && *at != '\n'; at++)
            n += at[0] == ' ' && at[2] == ' ' && strchr("-*/+", at[1]);
    }
    return n;
}

/* The code has no branch or loop and the declared number of operations, so its time does not depend on the values. */
TEST(work_is_constant)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 22);
    const wr_matrix *const pattern = random_pattern(arena, 30, 1);
    AUTO(wr_lu_plan_destroy) wr_lu_plan *plan = NULL;
    int column;
    void *handle;
    assert_int_equal(wr_lu_plan_create(pattern, &plan, &column), WRSIM_OK);
    const wr_lu_code *const code = make(pattern, plan, "constant", "-O1", &handle);
    char path[500];
    snprintf(path, sizeof path, "%s/constant.c", folder);
    const char *const text = strstr(read_text(path), "static int factor(");
    static const char *const words[] = {"if", "for (", "while", "?", "&&", "||", "goto", "switch"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_null(strstr(text, words[i]));
    /* The factorisation writes v[], the solve writes y[]. */
    assert_int_equal(count_operators(text, "    v["), plan->factor_flop);
    assert_int_equal(count_operators(text, "    y["), plan->solve_flop);
    assert_true((double)plan->factor_flop >= code->factor_flop &&
                (double)plan->factor_flop <= code->factor_flop);
    dlclose(handle);
}

TEST(refuses_bad_pivots)
{
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const unsigned char full[4] = {1, 1, 1, 1}, empty_column[4] = {1, 1, 0, 0};
    AUTO(wr_lu_plan_destroy) wr_lu_plan *plan = NULL;
    int column;
    void *handle;
    assert_int_equal(
        wr_lu_plan_create(wr_sparsity_place(arena, 2, 2, empty_column), &plan, &column),
        WRSIM_E_ARG);
    assert_int_equal(column, 1);
    assert_int_equal(wr_lu_plan_create(wr_sparsity_place(arena, 2, 2, full), &plan, &column),
                     WRSIM_OK);
    const wr_lu_code *const code =
        make(wr_sparsity_place(arena, 2, 2, full), plan, "bad", "-O1", &handle);
    const double singular[4] = {1, 2, 2, 4}, zero_diagonal[4] = {0, 1, 1, 0};
    const double tiny[4] = {1e-12, 1, 1, 1}, nan[4] = {1, 0, 0, (double)NAN},
                 good[4] = {2, 1, 1, 2};
    const double infinite[4] = {(double)INFINITY, 1, 1, 1};
    double lu[4];
    assert_int_equal(code->factor(singular, lu), 1);
    assert_int_equal(code->factor(zero_diagonal, lu), 1);
    assert_int_equal(code->factor(tiny, lu), 1);
    assert_int_equal(code->factor(nan, lu), 1);
    assert_int_equal(code->factor(infinite, lu), 1);
    assert_int_equal(code->factor(good, lu), 0);
    dlclose(handle);
}

/* Every accepted factorisation solves accurately, for entries of size 1e-6 to 1, as in test_sparse_lu.c. */
TEST(is_accurate_or_refused)
{
    enum { N = 24, VALUES = 10000 };
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const wr_matrix *const pattern = random_pattern(arena, N, 1);
    AUTO(wr_lu_plan_destroy) wr_lu_plan *plan = NULL;
    int column, n_taken = 0;
    void *handle;
    assert_int_equal(wr_lu_plan_create(pattern, &plan, &column), WRSIM_OK);
    const wr_lu_code *const code = make(pattern, plan, "widely", "-O1", &handle);
    for (int round = 0; round < VALUES; round++) {
        double value[N * N], lu[N * N], b[N], x[N];
        fill_widely(&seed, 6.0, pattern->n_nonzero, value);
        for (int i = 0; i < N; i++)
            b[i] = x[i] = draw() - 0.5;
        if (code->factor(value, lu) != 0)
            continue;
        n_taken++;
        code->solve(lu, x);
        assert_true(backward_error(pattern, value, x, b) < 1e-9);
    }
    assert_true(n_taken > VALUES / 3);
    dlclose(handle);
}

/* The natural order fills an arrow matrix completely; the chosen order does not. */
TEST(order_avoids_fill)
{
    enum { N = 30 };
    unsigned char is_set[N * N] = {0};
    for (int j = 0; j < N; j++)
        is_set[j * N + j] = is_set[j] = is_set[j * N] = 1;
    AUTO(wr_arena_destroy) wr_arena *arena = wr_arena_create(1 << 20);
    const wr_matrix *const pattern = wr_sparsity_place(arena, N, N, is_set);
    wr_lu_plan *plan = NULL;
    int column;
    assert_int_equal(wr_lu_plan_create(pattern, &plan, &column), WRSIM_OK);
    assert_int_equal(plan->n_entry, pattern->n_nonzero);
    wr_lu_plan_destroy(&plan);
    assert_null(plan);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    snprintf(compiler, sizeof compiler, "%s", argv[1]);
    snprintf(folder, sizeof folder, "%s/lu_code_XXXXXX", argv[2]);
    if (!mkdtemp(folder))
        return 2;
    const int n_failed = wr_test_run();
    char command[450];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return n_failed + (system(command) != 0);
}
