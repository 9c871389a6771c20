/* Layout of a result file in HDF5 format, for its writer and its reader.
 *
 *     /                        attributes program ("wrsim"), version, layout (2)
 *     /config                  the resolved config, one string
 *     /names, /units, /descriptions
 *                              [signals] of each signal, in the order of recording; absent without signals
 *     /time                    [rows] communication points, attribute unit
 *     /signals/<component>/<variable>
 *                              [rows], attributes name (component.variable), unit, description,
 *                              column (place in the order of recording)
 *     /events/<subsystem>/time, kind, values, names
 *                              [rows], [rows] 1 left of an event and 2 right of it, [rows x n], [n]
 *     /waves/<subsystem>/time, kind, values, names
 *                              with output.waves: nodes of published waveforms, [rows], [rows] 3,
 *                              [rows x 2n] values, then slopes, [2n]. Two nodes at one time are a jump.
 *                              Of more nodes at one time, each node after the first is the right limit
 *                              after a round of events. The first node at the start is the value before
 *                              the initial events.
 *
 *     /event_log, /window_log  the log of events and of windows (docs/reference/event_log.md)
 *
 * HDF5 reads names as paths. So the writer replaces '/' in names by %2F, '%' by %25, the name "." by %2E, and an empty name by %.
 * The attribute name has the unchanged name. Strings in data sets have a fixed length, bytes of UTF-8 with a final NUL. Strings in attributes
 * have a variable length. In layout 1, of versions up to 0.1.0, all strings have a variable length, and /names, /units and /descriptions are
 * absent. Rows that a killed run has not completed have NaN as time.
 *
 * Thread: any. Real-time: no. */
#ifndef WR_HDF5_NAMES_H
#define WR_HDF5_NAMES_H

#define WR_HDF5_SIGNALS "signals"
#define WR_HDF5_EVENTS "events"
#define WR_HDF5_WAVES "waves"
#define WR_HDF5_EVENT_LOG "event_log"
#define WR_HDF5_WINDOW_LOG "window_log"
#define WR_HDF5_TIME "time"
#define WR_HDF5_CONFIG "config"
#define WR_HDF5_KIND "kind"
#define WR_HDF5_VALUES "values"
#define WR_HDF5_NAMES "names"
#define WR_HDF5_UNITS "units"
#define WR_HDF5_DESCRIPTIONS "descriptions"
#define WR_HDF5_PROGRAM "program"
#define WR_HDF5_VERSION "version"
#define WR_HDF5_LAYOUT "layout"
#define WR_HDF5_NAME "name"
#define WR_HDF5_UNIT "unit"
#define WR_HDF5_DESCRIPTION "description"
#define WR_HDF5_COLUMN "column"

enum { WR_HDF5_LAYOUT_NUMBER = 2, WR_HDF5_LOG_LAYOUT = 1 };

#endif
