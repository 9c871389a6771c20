/* `wrsim stability`: stability of the fixed steps in a config, and properties of one method.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_STABILITY_COMMAND_H
#define WR_STABILITY_COMMAND_H

/* argv[0] is the command's name. Returns the exit code. */
int wr_stability_main(int argc, char **argv);

#endif
