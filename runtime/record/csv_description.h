/* The description of a CSV result: a JSON file with the name of the CSV file and ".json", in the same folder.
 *
 *     program                                 "wrsim csv"
 *     version                                 version of the program
 *     layout                                  1
 *     checked_bytes                           number n of checked bytes, 20 digits
 *     adler32                                 check sum of the first n bytes of the CSV file (Adler-32, RFC 1950, section 8.2), 8 hexadecimal
 *                                             digits
 *     events_checked_bytes, events_adler32    the same of the event log (log_csv.h); 0 bytes: the run has no event log
 *     windows_checked_bytes, windows_adler32  the same of the window records
 *     signals                                 list, in the order of the columns: name, unit, description, subsystem, column (text of the header)
 *     config                                  the resolved config
 *
 * The CSV file has no comment lines, because other programs read its first line as the header. So the check sum connects the files. The
 * writer updates the strings of the check sums in place when rows are in a file. A description whose check sum differs belongs to another
 * result, and a reader refuses the description. CSV files that are pipes or devices have no description.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_CSV_DESCRIPTION_H
#define WR_CSV_DESCRIPTION_H

#include "base/json_tree.h"
#include "runtime/record/results_read.h"
#include "runtime/record/streams.h"

/* Value of the member "program". */
#define WR_CSV_DESCRIPTION_PROGRAM "wrsim csv"

/* Returns the name of the description of a CSV file, from malloc; NULL when out of memory. */
char *wr_csv_description_name(const char *file);

/* Removes the description of a CSV file; another file with this name remains. */
void wr_csv_description_remove(const char *file);

/* Files that a description checks. */
typedef enum wr_csv_part {
    WR_CSV_RESULTS,
    WR_CSV_EVENTS,
    WR_CSV_WINDOWS,
    WR_CSV_PARTS
} wr_csv_part;

typedef struct wr_csv_sum {
    int64_t n_bytes;    /* checked bytes */
    uint32_t low, high; /* the two sums of Adler-32 */
} wr_csv_sum;

/* A description that a writer keeps open. */
typedef struct wr_csv_description {
    int fd;            /* -1: not open */
    int64_t i_checked; /* place of the strings of the check sums in the file, bytes */
    wr_csv_sum sum[WR_CSV_PARTS];
} wr_csv_description;

/* Replaces the description of options->file. On failure returns WRSIM_E_IO, _DISK or _MEMORY with err, and *d has no file. */
wrsim_status wr_csv_description_open(wr_csv_description *d, const wr_recorder_options *options,
                                     wrsim_error *err);
/* Adds bytes that a file has. If the update of the description fails, fewer bytes are checked. */
void wr_csv_description_add(wr_csv_description *d, wr_csv_part part, const char *bytes,
                            size_t n_bytes);
void wr_csv_description_close(wr_csv_description *d);

/* Reads the description before the CSV file, which may grow. Returns WRSIM_OK with *ret NULL if the description is absent, or the file is not a
 * description of wrsim; WRSIM_E_IO or WRSIM_E_MEMORY with err if the description cannot be read. */
wrsim_status wr_csv_description_load(const char *file, wr_json_tree **ret, wrsim_error *err);
/* Adds descriptions, subsystems and config to the results of a CSV text. description NULL: no action. Returns WRSIM_E_IO with err if the
 * description belongs to another text, or WRSIM_E_MEMORY. */
wrsim_status wr_csv_description_apply(const wr_json_tree *description, const char *file,
                                      const char *text, size_t n_bytes, wr_results *results,
                                      wrsim_error *err);

/* Returns 1 if the description checks bytes of a file. */
int wr_csv_description_has(const wr_json_tree *description, wr_csv_part part);

/* Checks the text of a file of the log. description NULL, or of a version of wrsim before these check sums: no action. Returns WRSIM_E_IO with
 * err if the text belongs to another run, or has changed. */
wrsim_status wr_csv_description_check_log(const wr_json_tree *description, wr_csv_part part,
                                          const char *file, const char *text, size_t n_bytes,
                                          wrsim_error *err);

#endif
