/* `wrsim stability`: are the fixed steps of a config stable; what a method is worth.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_STABILITY_COMMAND_H
#define WR_STABILITY_COMMAND_H

/* argv[0] is the command. Returns the exit code. */
int wr_stability_main(int argc, char **argv);

#endif
