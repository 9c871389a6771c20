/* The files that a config reads: what is written must go over none of them.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_INPUT_FILES_H
#define WR_INPUT_FILES_H

#include "runtime/config/settings.h"

/* What a path is to the config, under whatever name: "the config", "a plug-in of the run"; NULL: nothing that it reads. */
const char *wr_input_file(const wr_settings *set, const char *path);

#endif
