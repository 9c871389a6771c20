/* Where things stand in a result file in HDF5 format: shared by its writer and its reader.
 *
 *     /                        attributes program ("wrsim"), version, layout (1)
 *     /config                  the resolved config, one string
 *     /time                    [rows] communication points, attribute unit
 *     /signals/<component>/<variable>
 *                              [rows], attributes name (component.variable), unit, description,
 *                              column (place in the order of recording)
 *     /events/<subsystem>/time, kind, values, names
 *                              [rows], [rows] 1 left of an event and 2 right of it, [rows x n], [n]
 *     /waves/<subsystem>/time, kind, values, names
 *                              where output.waves asked for them: nodes of what it publishes, [rows], [rows] 3,
 *                              [rows x 2n] values and then slopes, [2n]; two nodes at one time are a jump, more of them its
 *                              rounds; at the start the first is what was there before the initial events
 *
 * A name that HDF5 would take for a path has '/' written as %2F and '%' as %25; "." is %2E and an
 * empty name %. The attribute name has it unchanged. Rows that were being written when a run was
 * killed have NaN as time.
 *
 * Thread: any. Real-time: no.
 */
#ifndef WR_HDF5_NAMES_H
#define WR_HDF5_NAMES_H

#define WR_HDF5_SIGNALS "signals"
#define WR_HDF5_EVENTS "events"
#define WR_HDF5_WAVES "waves"
#define WR_HDF5_TIME "time"
#define WR_HDF5_CONFIG "config"
#define WR_HDF5_KIND "kind"
#define WR_HDF5_VALUES "values"
#define WR_HDF5_NAMES "names"
#define WR_HDF5_PROGRAM "program"
#define WR_HDF5_VERSION "version"
#define WR_HDF5_LAYOUT "layout"
#define WR_HDF5_NAME "name"
#define WR_HDF5_UNIT "unit"
#define WR_HDF5_DESCRIPTION "description"
#define WR_HDF5_COLUMN "column"

enum { WR_HDF5_LAYOUT_NUMBER = 1 };

#endif
