/* `wrsim partition --groups`: command line of the search for a grouping.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_GROUPING_COMMAND_H
#define WR_GROUPING_COMMAND_H

/* argv[0] is the word partition. Returns the exit code. */
int wr_grouping_main(int argc, char **argv);

#endif
