/* Evaluation of the JSON files of `wrsim bench`: comparison of two files, tables in Markdown.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_COMPARE_H
#define WR_BENCH_COMPARE_H

#include "cli/options.h"

extern const wr_command wr_bench_compare_form, wr_bench_table_form;

#endif
