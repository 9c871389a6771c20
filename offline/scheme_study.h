/* The order of subsystems that relaxation.scheme = "auto" chooses for several numbers of workers. Thread: one owner. Real-time: no. */
#ifndef WR_SCHEME_STUDY_H
#define WR_SCHEME_STUDY_H

#include <stddef.h>
#include <stdint.h>

struct wr_settings;

/* Runs the split to to_s (s), for relaxation.scheme_workers. n_most > 0: the number of subsystems; then also runs for other numbers of
 * workers, because more workers than subsystems change nothing. Writes the choices as one line to ret_text[n]. The line ends before the
 * first run that fails, or that exceeds limit_ns of CPU time for all runs. */
void wr_scheme_study(const struct wr_settings *settings, double to_s, int n_most, int64_t limit_ns,
                     char *ret_text, size_t n);

#endif
