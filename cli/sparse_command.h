/* `wrsim sparse`: which entries of a subsystem's Jacobian linearly implicit Euler can do without.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_SPARSE_COMMAND_H
#define WR_SPARSE_COMMAND_H

/* argv[0] is the command; returns the exit code: 1 where a given pattern is refused. */
int wr_sparse_main(int argc, char **argv);

#endif
