/* `wrsim partition`: chooses between block forms and the search for a grouping.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_PARTITION_COMMAND_H
#define WR_PARTITION_COMMAND_H

/* argv[0] is the command's name. Returns the exit code. */
int wr_partition_main(int argc, char **argv);

#endif
