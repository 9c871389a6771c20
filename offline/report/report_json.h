/* Parts of the data of a report page as JSON. Thread: one owner. Real-time: no. */
#ifndef WR_REPORT_JSON_H
#define WR_REPORT_JSON_H

#include "base/json.h"
#include "base/json_tree.h"
#include "offline/report/curves.h"

/* Writes doubles as base64 of their little-endian bytes (RFC 4648, section 4). */
void wr_report_doubles(wr_json *json, const char *key, size_t n, const double *value);

/* Writes the members "grid", "signals", and with a twin "compared". Thins curves to at most cap_value values in all. */
void wr_report_curves_json(wr_json *json, const wr_curves *curves, size_t cap_value);

/* Writes a tree without the members `omitted` of its top object. Lists have at most their first 200 entries. */
void wr_report_tree_json(wr_json *json, const char *key, const wr_json_tree *tree,
                         const char *omitted);

/* Returns a copy of a JSON text, from malloc, or NULL when out of memory. An escape replaces each '<', so that the text is safe in a script
 * element of a page. */
char *wr_report_escape(const char *json);

#endif
