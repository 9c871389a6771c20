/* `wrsim sweep`: many runs of a config with different values (offline/runs).
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_SWEEP_COMMAND_H
#define WR_SWEEP_COMMAND_H

/* argv[0] is the command's name. Returns the exit code. */
int wr_sweep_main(int argc, char **argv);

#endif
