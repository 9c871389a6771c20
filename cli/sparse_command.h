/* `wrsim sparse`: finds Jacobian entries of a subsystem that the linearly implicit Euler method can omit.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_SPARSE_COMMAND_H
#define WR_SPARSE_COMMAND_H

/* argv[0] is the command's name. Returns the exit code; 1 if a given pattern is refused. */
int wr_sparse_main(int argc, char **argv);

#endif
