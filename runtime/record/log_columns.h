/* Columns and lists of the event log and of the window records in result files (docs/reference/event_log.md). Thread: any, constants.
 * Real-time: yes. */
#ifndef WR_LOG_COLUMNS_H
#define WR_LOG_COLUMNS_H

#include "runtime/record/streams.h"

/* Types of columns in a file. */
typedef enum wr_log_type_in_file {
    WR_LOG_REAL,
    WR_LOG_INT64,
    WR_LOG_INT32,
    WR_LOG_INT8,
    WR_LOG_UINT8
} wr_log_type_in_file;

typedef struct wr_log_column {
    const char *name;
    wr_log_type_in_file type;
} wr_log_column;

/* Columns of the event log; the values of WR_LOG_ENTRY_... come last. */
enum {
    WR_EVENT_TIME,
    WR_EVENT_STOP,
    WR_EVENT_SUBSYSTEM,
    WR_EVENT_KIND,
    WR_EVENT_ENTRY,
    WR_EVENT_ITEM = WR_EVENT_ENTRY + WR_LOG_ENTRY_ITEM,
    WR_EVENT_ROUND = WR_EVENT_ENTRY + WR_LOG_ENTRY_ROUND,
    WR_EVENT_DIRECTION = WR_EVENT_ENTRY + WR_LOG_ENTRY_DIRECTION,
    WR_EVENT_BEFORE = WR_EVENT_ENTRY + WR_LOG_ENTRY_BEFORE,
    WR_EVENT_AFTER = WR_EVENT_ENTRY + WR_LOG_ENTRY_AFTER,
    WR_EVENT_COLUMNS = WR_EVENT_ENTRY + WR_LOG_ENTRY_VALUES
};
static const wr_log_column wr_event_columns[WR_EVENT_COLUMNS] = {
    [WR_EVENT_TIME] = {"time", WR_LOG_REAL},
    [WR_EVENT_STOP] = {"stop", WR_LOG_INT64},
    [WR_EVENT_SUBSYSTEM] = {"subsystem", WR_LOG_INT32},
    [WR_EVENT_KIND] = {"kind", WR_LOG_UINT8},
    [WR_EVENT_ITEM] = {"item", WR_LOG_INT32},
    [WR_EVENT_ROUND] = {"round", WR_LOG_INT32},
    [WR_EVENT_DIRECTION] = {"direction", WR_LOG_INT8},
    [WR_EVENT_BEFORE] = {"before", WR_LOG_REAL},
    [WR_EVENT_AFTER] = {"after", WR_LOG_REAL}};

/* Columns of the window records; the integrations, one value per subsystem, come last. */
enum {
    WR_WINDOW_START,
    WR_WINDOW_VALUES,
    WR_WINDOW_END = WR_WINDOW_VALUES + WR_LOG_WINDOW_END,
    WR_WINDOW_REASON = WR_WINDOW_VALUES + WR_LOG_WINDOW_REASON,
    WR_WINDOW_SWEEP_COUNT = WR_WINDOW_VALUES + WR_LOG_WINDOW_SWEEPS,
    WR_WINDOW_RATE = WR_WINDOW_VALUES + WR_LOG_WINDOW_CONTRACTION,
    WR_WINDOW_CHANGE = WR_WINDOW_VALUES + WR_LOG_WINDOW_CHANGE,
    WR_WINDOW_PREDICTION = WR_WINDOW_VALUES + WR_LOG_WINDOW_PREDICTION,
    WR_WINDOW_FAILED = WR_WINDOW_VALUES + WR_LOG_WINDOW_FAILED,
    WR_WINDOW_INTEGRATIONS = WR_WINDOW_VALUES + WR_LOG_WINDOW_VALUES,
    WR_WINDOW_COLUMNS
};
static const wr_log_column wr_window_columns[WR_WINDOW_COLUMNS] = {
    [WR_WINDOW_START] = {"start", WR_LOG_REAL},
    [WR_WINDOW_END] = {"end", WR_LOG_REAL},
    [WR_WINDOW_REASON] = {"reason", WR_LOG_UINT8},
    [WR_WINDOW_SWEEP_COUNT] = {"sweeps", WR_LOG_INT32},
    [WR_WINDOW_RATE] = {"contraction", WR_LOG_REAL},
    [WR_WINDOW_CHANGE] = {"change", WR_LOG_REAL},
    [WR_WINDOW_PREDICTION] = {"prediction", WR_LOG_REAL},
    [WR_WINDOW_FAILED] = {"failed", WR_LOG_INT32},
    [WR_WINDOW_INTEGRATIONS] = {"integrations", WR_LOG_INT32}};

/* Initialiser of an array of texts, by wr_logged_kind. */
#define WR_LOGGED_KIND_TEXTS                                                                       \
    [WR_LOGGED_STOP] = "stop", [WR_LOGGED_STATE_EVENT] = "state event",                            \
    [WR_LOGGED_TIME_EVENT] = "time event", [WR_LOGGED_INPUT_JUMP] = "input jump",                  \
    [WR_LOGGED_VALUE] = "value", [WR_LOGGED_SLOPE] = "slope", [WR_LOGGED_LOST] = "lost entries"

#define WR_LOG_SUBSYSTEMS "subsystems"
#define WR_LOG_ITEM_NAMES "item_names"
#define WR_LOG_ITEM_TYPES "item_types"
#define WR_LOG_ITEM_UNITS "item_units"
#define WR_LOG_REASONS "reasons"

/* Ends of the names, and first texts, of both files of a log in CSV format. */
#define WR_LOG_CSV_EVENTS_ENDING ".events.csv"
#define WR_LOG_CSV_WINDOWS_ENDING ".windows.csv"
#define WR_LOG_CSV_EVENTS "time [s],stop,subsystem,kind,type,item,unit,round,direction,before,after"
#define WR_LOG_CSV_WINDOWS "start [s],end [s],reason,sweeps,contraction,change,prediction,failed"

#endif
