/* `wrsim analyze`: incidence and linearisations of a config.
 *
 * Thread: main. Real-time: no.
 */
#ifndef WR_ANALYZE_COMMAND_H
#define WR_ANALYZE_COMMAND_H

/* argv[0] is the command's name. Returns the exit code; if a model has an undeclared dependency, the code of
 * WRSIM_E_MODEL. */
int wr_analyze_main(int argc, char **argv);

#endif
