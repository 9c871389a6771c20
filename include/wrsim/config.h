/* A configuration: a TOML file or text with overrides, checked and resolved. Thread: one owner per object. Phase: setup. */
#ifndef WRSIM_CONFIG_H
#define WRSIM_CONFIG_H

#include <stddef.h>

#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wrsim_config wrsim_config; /* checked and resolved settings; opaque */

/* Receives each error. Errors come sorted: files in the order of their first error, then lines and columns in ascending order. wrsim owns
 * the record, which is valid during the call. */
typedef void (*wrsim_report_fn)(void *user, const wrsim_error *error);

/* Reads a config file and applies n_overrides texts "key=value" in order. A value has TOML syntax. A key addresses an entry of an array
 * of tables by its name, such as "subsystem.airpath.solver.kind". report may be NULL. On success the caller owns *ret_config
 * (wrsim_config_destroy). On failure err (may be NULL) has the first error and *ret_config is unchanged. After an error, report also
 * receives the errors that wrsim_create() would find in the whole config; this check opens plug-ins. Returns WRSIM_OK, WRSIM_E_ARG, or
 * the status of the first error: WRSIM_E_CONFIG, _E_IO, _E_MEMORY, or a status of wrsim_create(). */
WRSIM_API wrsim_status wrsim_config_from_file(const char *path, const char *const *overrides,
                                              int n_overrides, wrsim_report_fn report, void *user,
                                              wrsim_config **ret_config, wrsim_error *err);

/* Reads a config from a text of text_bytes bytes, as wrsim_config_from_file does from a file. Messages contain `name` instead of a file
 * name. */
WRSIM_API wrsim_status wrsim_config_from_text(const char *text, size_t text_bytes, const char *name,
                                              const char *const *overrides, int n_overrides,
                                              wrsim_report_fn report, void *user,
                                              wrsim_config **ret_config, wrsim_error *err);

/* Returns the resolved config as TOML text, or NULL if config is NULL or memory is exhausted. Reading the text gives the same config.
 * The caller frees the text with free(). */
WRSIM_API char *wrsim_config_dump(const wrsim_config *config);

/* Returns 1 if simulation.monolithic is "auto", else 0. wrsim_create refuses "auto". wrsim_config_keep_split (wrsim/study.h) replaces
 * "auto". */
WRSIM_API int wrsim_config_is_undecided(const wrsim_config *config);

/* Frees a config and sets *config to NULL. config and *config may be NULL. Simulations do not need their config after wrsim_create. */
WRSIM_API void wrsim_config_destroy(wrsim_config **config);

#ifdef __cplusplus
}
#endif
#endif
