/* `wrsim partition --form`: block-diagonal forms of incidence matrices, of a config or from a file.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_BLOCKS_COMMAND_H
#define WR_BLOCKS_COMMAND_H

/* argv[0] is the command's name. Returns the exit code. */
int wr_blocks_main(int argc, char **argv);

#endif
