/* The event log and the window records of a result file for a report (docs/reference/event_log.md). Thread: one owner. Real-time: no. */
#ifndef WR_REPORT_LOG_H
#define WR_REPORT_LOG_H

#include "base/json.h"
#include "runtime/record/results_log.h"

/* Writes the member "windows" if the run had windows, and the member "events". */
void wr_report_windows_json(wr_json *json, const wr_run_log *log);
void wr_report_events_json(wr_json *json, const wr_run_log *log);

#endif
