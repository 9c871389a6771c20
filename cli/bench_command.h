/* `wrsim bench` and `wrsim budget`: their command lines.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BENCH_COMMAND_H
#define WR_BENCH_COMMAND_H

/* argv[0] is the word bench or budget. Returns the exit code. */
int wr_bench_main(int argc, char **argv);

/* Prints the error and a hint at the command's --help. Returns the exit code. */
int wr_bench_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `wrsim bench compare A B` and `wrsim bench table FILE...` (bench_compare.c). Return the exit code. */
int wr_compare_benches(const char *file_a, const char *file_b);
int wr_print_bench_table(int n, char *const *file);

#endif
