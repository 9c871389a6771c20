/* A configuration: a TOML file (or text) with overrides, checked and resolved.
 *
 * Thread: one owner per object. Phase: setup.
 */
#ifndef WRSIM_CONFIG_H
#define WRSIM_CONFIG_H

#include <stddef.h>

#include "wrsim/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wrsim_config wrsim_config; /* opaque */

/* Receives every error found, one by one, in the order found. The record belongs to wrsim and
 * is valid during the call. */
typedef void (*wrsim_report_fn)(void *user, const wrsim_error *error);

/* Reads a config file and applies n_overrides texts "key=value" (value as TOML; keys reach into
 * arrays of tables by name, such as "subsystem.airpath.solver.kind") in order. report may be NULL.
 * On success *ret_config is owned by the caller (wrsim_config_destroy). On failure err (may be
 * NULL) holds the first error and *ret_config is untouched. When there is an error, report gets
 * those that wrsim_create() would find in the rest of the config, too; plug-ins are opened for that.
 * Returns WRSIM_OK, WRSIM_E_CONFIG, WRSIM_E_IO, WRSIM_E_MEMORY. */
WRSIM_API wrsim_status wrsim_config_from_file(const char *path, const char *const *overrides,
                                              int n_overrides, wrsim_report_fn report, void *user,
                                              wrsim_config **ret_config, wrsim_error *err);

/* The same from text of text_bytes bytes; name stands for the file in messages. */
WRSIM_API wrsim_status wrsim_config_from_text(const char *text, size_t text_bytes, const char *name,
                                              const char *const *overrides, int n_overrides,
                                              wrsim_report_fn report, void *user,
                                              wrsim_config **ret_config, wrsim_error *err);

/* The resolved config as TOML that reads back to the same; the caller frees it with free(). NULL
 * when out of memory. */
WRSIM_API char *wrsim_config_dump(const wrsim_config *config);

/* 1 while simulation.monolithic is "auto": wrsim_create refuses it then. wrsim/study.h decides. */
WRSIM_API int wrsim_config_is_undecided(const wrsim_config *config);

/* Frees a config; accepts NULL and nulls the pointer. Simulations made from it need it no more. */
WRSIM_API void wrsim_config_destroy(wrsim_config **config);

#ifdef __cplusplus
}
#endif
#endif
