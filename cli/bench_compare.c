/* `wrsim bench compare` compares two JSON files of `wrsim bench`; `wrsim bench table` prints tables in Markdown.
 *
 * Thread: main. Real-time: no.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/json_tree.h"
#include "bench/bench.h"
#include "cli/command_line.h"
#include "cli/command_list.h"
#include "cli/program_output.h"

static wr_json_tree *load(const char *file)
{
    char why[256] = "";
    wr_json_tree *tree = wr_json_tree_load(file, why);
    const double schema = tree ? wr_json_tree_number(tree, "schema") : (double)NAN;
    if (tree && (isnan(schema) || !wr_json_tree_get(tree, "rows")))
        snprintf(why, sizeof why, "has no schema or no rows");
    else if (tree && schema != WR_BENCH_SCHEMA)
        snprintf(why, sizeof why, "has schema %g, but this program reads schema %d", schema,
                 WR_BENCH_SCHEMA);
    if (why[0])
        wr_json_tree_free(&tree);
    if (!tree)
        fprintf(
            wr_err,
            "wrsim: error: '%s' %s; name a file that `wrsim bench --json` of this version wrote\n",
            file, why);
    return tree;
}

/* Returns the factor on the counted costs of points; 0 in files of earlier versions, which lack the factor. */
static double cost_share(const wr_json_tree *row)
{
    const double share = wr_json_tree_number(row, "cost_share");
    return isnan(share) ? 0.0 : share;
}

static int is_same_row(const wr_json_tree *a, const wr_json_tree *b)
{
    static const char *const texts[] = {"case", "baseline", "kind"};
    for (size_t i = 0; i < WR_COUNT_OF(texts); i++)
        if (strcmp(wr_json_tree_string(a, texts[i]), wr_json_tree_string(b, texts[i])) != 0)
            return 0;
    /* Files of earlier versions do not mark rows of growth as costs; such rows do not match. */
    return wr_json_tree_number(a, "cores") == wr_json_tree_number(b, "cores") &&
           wr_json_tree_number(a, "is_cost") == wr_json_tree_number(b, "is_cost") &&
           cost_share(a) == cost_share(b);
}

typedef enum verdict { SAME, BETTER, WORSE, UNKNOWN, VERDICTS } verdict;
static const char *const verdict_names[VERDICTS] = {"same", "better", "worse",
                                                    "too few rounds for a verdict"};

/* Minimum number of rounds for a verdict. Two runs of one program with n rounds each may have disjoint ranges from the 10 % to the 90 %
 * quantile. The probability of disjoint ranges is 16 % for n = 3, 2.2 % for 5, 0.3 % for 7 and 0.1 % for 9, sampled from 60,000 pairs of
 * normally distributed ratios. */
static const double LEAST_ROUNDS = 5.0;

/* Returns UNKNOWN for too few rounds, SAME for overlapping ranges, else BETTER or WORSE. */
static verdict judge(const wr_json_tree *a, const wr_json_tree *b)
{
    if (wr_json_tree_number(a, "n_round") < LEAST_ROUNDS ||
        wr_json_tree_number(b, "n_round") < LEAST_ROUNDS)
        return UNKNOWN;
    const int is_cost = wr_json_tree_number(a, "is_cost") == 1.0;
    if (wr_json_tree_number(b, "ratio_low") > wr_json_tree_number(a, "ratio_high"))
        return is_cost ? WORSE : BETTER;
    if (wr_json_tree_number(b, "ratio_high") < wr_json_tree_number(a, "ratio_low"))
        return is_cost ? BETTER : WORSE;
    return SAME;
}

/* Returns the setting without the tolerance "rtol ...;", because each measurement tunes the tolerance anew. */
static const char *without_rtol(const char *setting)
{
    const char *const end = strncmp(setting, "rtol ", 5) == 0 ? strchr(setting, ';') : NULL;
    return end ? end + 1 : strncmp(setting, "rtol ", 5) == 0 ? "" : setting;
}

/* Prints the settings that differ. Returns the number of these settings. */
static int print_settings(const wr_json_tree *a, const wr_json_tree *b)
{
    static const char *const keys[] = {"setting", "setting_baseline"};
    int n = 0;
    for (size_t i = 0; i < WR_COUNT_OF(keys); i++) {
        const char *const of_a = wr_json_tree_string(a, keys[i]);
        const char *const of_b = wr_json_tree_string(b, keys[i]);
        if (strcmp(without_rtol(of_a), without_rtol(of_b)) == 0)
            continue;
        fprintf(wr_out, "    %s differs: A %s\n%*sB %s\n",
                i == 0 ? "its setting" : "the baseline's setting", of_a, i == 0 ? 25 : 36, "",
                of_b);
        n++;
    }
    return n;
}

static const wr_json_tree *partner(const wr_json_tree *row, const wr_json_tree *in)
{
    const wr_json_tree *other = wr_json_tree_get(in, "rows")->first;
    while (other && !is_same_row(row, other))
        other = other->next;
    return other;
}

static int count_single(const wr_json_tree *of, const wr_json_tree *in)
{
    int n = 0;
    for (const wr_json_tree *r = wr_json_tree_get(of, "rows")->first; r; r = r->next)
        n += !partner(r, in);
    return n;
}

/* Prints the rows that the two files have in common. Returns the number of these rows. */
static int print_pairs(const wr_json_tree *a, const wr_json_tree *b)
{
    int n_pair = 0, n_other_setting = 0, n_of[VERDICTS] = {0};
    fprintf(wr_out, "%-16s %-16s %5s %-8s %9s %9s %8s\n", "case", "baseline", "cores", "kind", "A",
            "B", "B / A");
    for (const wr_json_tree *r = wr_json_tree_get(a, "rows")->first; r; r = r->next) {
        const wr_json_tree *const other = partner(r, b);
        if (!other)
            continue;
        const verdict v = judge(r, other);
        n_pair++;
        n_of[v]++;
        fprintf(wr_out, "%-16s %-16s %5.0f %-8s %9.3f %9.3f %8.3f  %s; time x %.3f",
                wr_json_tree_string(r, "case"), wr_json_tree_string(r, "baseline"),
                wr_json_tree_number(r, "cores"), wr_json_tree_string(r, "kind"),
                wr_json_tree_number(r, "ratio"), wr_json_tree_number(other, "ratio"),
                wr_json_tree_number(other, "ratio") / wr_json_tree_number(r, "ratio"),
                verdict_names[v],
                wr_json_tree_number(other, "wall_s") / wr_json_tree_number(r, "wall_s"));
        const double f_a = wr_json_tree_number(wr_json_tree_get(r, "work"), "n_rhs");
        if (f_a > 0.0)
            fprintf(wr_out, ", f x %.3f",
                    wr_json_tree_number(wr_json_tree_get(other, "work"), "n_rhs") / f_a);
        fputc('\n', wr_out);
        n_other_setting += print_settings(r, other) > 0;
    }
    fprintf(wr_out,
            "%d better, %d worse, %d same, %d with too few rounds (both files need 5); %d with "
            "other settings; only in A %d, only in B %d\n",
            n_of[BETTER], n_of[WORSE], n_of[SAME], n_of[UNKNOWN], n_other_setting,
            count_single(a, b), count_single(b, a));
    return n_pair;
}

static int compare(void *into)
{
    const wr_arguments *const line = into;
    const char *const file_a = line->operand[0], *const file_b = line->operand[1];
    wr_json_tree *a = load(file_a), *b = a ? load(file_b) : NULL;
    int code = wrsim_status_exit_code(WRSIM_E_IO);
    if (a && b) {
        /* part: the first machine or build property in which the files differ; NULL if all are equal. */
        static const char *const parts[] = {"cpu", "cores", "kernel", "compiler", "flags"};
        const wr_json_tree *const of_a = wr_json_tree_get(a, "machine");
        const wr_json_tree *const of_b = wr_json_tree_get(b, "machine");
        const char *part = NULL;
        for (size_t i = 0; i < WR_COUNT_OF(parts) && !part; i++)
            if (strcmp(wr_json_tree_string(of_a, parts[i]), wr_json_tree_string(of_b, parts[i])) !=
                0)
                part = parts[i];
        code = part ? wrsim_status_exit_code(WRSIM_E_ARG) : 0;
        if (part)
            fprintf(wr_err,
                    "wrsim: error: '%s' and '%s' were measured on different machines or builds "
                    "(%s: '%s', '%s'); measure both on one machine with one build\n",
                    file_a, file_b, part, wr_json_tree_string(wr_json_tree_get(a, "machine"), part),
                    wr_json_tree_string(wr_json_tree_get(b, "machine"), part));
        else if (print_pairs(a, b) == 0)
            code = wr_command_line_refuse(
                line, "'%s' and '%s' have no row in common; compare results of one suite", file_a,
                file_b);
    }
    wr_json_tree_free(&a);
    wr_json_tree_free(&b);
    return code;
}

/* Returns whether the README's table has the row: a measured ratio, a ratio of costs of points, or a bound against the monolithic run. */
static int is_in_table(const wr_json_tree *r)
{
    const char *const kind = wr_json_tree_string(r, "kind");
    return strcmp(kind, "measured") == 0 || strcmp(kind, "points") == 0 ||
           (strcmp(kind, "bound") == 0 &&
            strcmp(wr_json_tree_string(r, "baseline"), "monolithic") == 0);
}

/* Returns the text of a row's kind. A bound on one core is the measured time plus the costs of points. */
static const char *kind_text(const wr_json_tree *r, double cores)
{
    const char *const kind = wr_json_tree_string(r, "kind");
    return strcmp(kind, "points") == 0  ? ", cost of points"
           : strcmp(kind, "bound") != 0 ? ""
           : cores > 1.0                ? ", schedule bound"
                                        : ", time plus costs";
}

/* Prints one Markdown table for each file, with the machine below the table. */
static int print_table(void *into)
{
    const wr_arguments *const line = into;
    for (int i = 0; i < line->n_operand; i++) {
        wr_json_tree *tree = load(line->operand[i]);
        if (!tree)
            return wrsim_status_exit_code(WRSIM_E_IO);
        const wr_json_tree *const machine = wr_json_tree_get(tree, "machine");
        fprintf(
            wr_out,
            "%s| case | relaxed on | against | ratio (10 %% to 90 %% of the rounds) | error, of "
            "the baseline | note |\n|---|---|---|---|---|---|\n",
            i ? "\n" : "");
        for (const wr_json_tree *r = wr_json_tree_get(tree, "rows")->first; r; r = r->next)
            if (is_in_table(r)) {
                const double cores = wr_json_tree_number(r, "cores"),
                             error = wr_json_tree_number(r, "error"),
                             error_baseline = wr_json_tree_number(r, "error_baseline");
                const char *const note = wr_json_tree_string(r, "note");
                fprintf(wr_out, "| %s | %g core%s%s | %s | %.2f (%.2f to %.2f)%s | ",
                        wr_json_tree_string(r, "case"), cores, cores == 1.0 ? "" : "s",
                        kind_text(r, cores), wr_json_tree_string(r, "baseline"),
                        wr_json_tree_number(r, "ratio"), wr_json_tree_number(r, "ratio_low"),
                        wr_json_tree_number(r, "ratio_high"),
                        wr_json_tree_number(r, "is_cost") == 1.0 ? ", smaller is better" : "");
                if (error > 0.0 && error_baseline > 0.0)
                    fprintf(wr_out, "%.1e, %.1e", error, error_baseline);
                else if (error > 0.0)
                    fprintf(wr_out, "%.1e", error);
                fprintf(wr_out, " | %s |\n", note);
            }
        fprintf(wr_out, "\nwrsim %s; %s; %s; %s; %s\n", wr_json_tree_string(tree, "version"),
                wr_json_tree_string(machine, "cpu"), wr_json_tree_string(machine, "cores"),
                wr_json_tree_string(machine, "kernel"), wr_json_tree_string(machine, "compiler"));
        wr_json_tree_free(&tree);
    }
    return 0;
}

const wr_command wr_bench_compare_form = {
    WR_COMMAND("bench compare", "A.json B.json", 2, 2, WR_NO_OPTIONS, compare),
    .help = "compare two results of one machine", .into = &(wr_arguments){.n_operand = 0}};

const wr_command wr_bench_table_form = {
    WR_COMMAND("bench table", "A.json ...", 1, INT_MAX, WR_NO_OPTIONS, print_table),
    .help = "print results as a table in Markdown", .into = &(wr_arguments){.n_operand = 0}};
