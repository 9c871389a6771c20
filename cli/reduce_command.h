/* `wrsim reduce`: model order reduction of a part of a config, or of matrices.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_REDUCE_COMMAND_H
#define WR_REDUCE_COMMAND_H

/* argv[0] is the command's name. Returns the exit code. */
int wr_reduce_main(int argc, char **argv);

#endif
