/* A run of a config within the program.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_RUN_COMMAND_H
#define WR_RUN_COMMAND_H

/* Runs a config as `wrsim run --quiet` does. Returns the exit code. */
int wr_run_quietly(const char *config, const char *const *override, int n_override);

#endif
