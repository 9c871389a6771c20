/* The one place of keys. A new option is one row here and one field in settings.h.
 *
 * Defaults name their reason in the help or here:
 * - communication_step: 500 us, as in the engine runs of Ben Khaled et al. (2011), section 4 (docs/METHODS.md,
 *   Sources), unless that is too coarse or too fine for the length of the run (settings_data.h).
 * - window.initial, window.min, window.max: shares of the communication step (settings_data.h).
 * - event_tolerance, chatter_time: by the steps and the clock (ode_step.c, event_iteration.c).
 * - atol_factor: the rule of FMI 2.0.1 section 2.1.5, absolute tolerance = 0.01 rtol nominal.
 * - max_stuck_events: bounces that get ever shorter end in one event in one to four lengths of
 *   event_tolerance, 250 or more in chatter_time, if that is 1000 of them: more than 100 is the end of
 *   every Zeno sequence.
 * - convergence, solver_tolerance_factor: for the same error the solver of a subsystem needs a tolerance 2 to 5
 *   times below the tolerance of the single solver. Every event of the model stops the single solver (docs/lab/2026-11-22-tolerances.md).
 * - spin_us: about the time that a worker waits for one of a few subsystems. Longer spinning gained nothing, shorter
 *   spinning cost time (docs/lab/2026-11-23-busy-machine.md).
 *
 * Thread: any (constant). Real-time: no.
 */
#include "runtime/config/keys.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/config/settings_data.h"
#include "subsystems/integrators/integrator_list.h"

#define AT(section, field) offsetof(wr_settings, section.field)
/* The text of a number that is a macro. */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
/* The names of integrators as one text. */
#define FIRST_NAME(name) #name
#define NEXT_NAME(name) ", " #name

_Static_assert(AT(output, signals) == WR_KEY_ITEMS_OFFSET(AT(output, n_signals)), "signals");
_Static_assert(AT(scheduler, cores) == WR_KEY_ITEMS_OFFSET(AT(scheduler, n_cores)), "cores");
_Static_assert(AT(solver, alpha) == WR_KEY_ITEMS_OFFSET(AT(solver, n_alpha)), "alpha");
_Static_assert(AT(solver, beta) == WR_KEY_ITEMS_OFFSET(AT(solver, n_beta)), "beta");

/* clang-format off: one row, one block */
const wr_key wr_keys[] = {
    {"simulation.start", WR_KEY_REAL, "s", "0.0", -1e30, 1e30, NULL,
     "Simulated time at which the run begins.", AT(simulation, start_s), 1, WR_KEY_USER},
    {"simulation.stop", WR_KEY_REAL, "s", NULL, -1e30, 1e30, NULL,
     "Simulated time at which the run ends; greater than simulation.start. The end itself is "
     "recorded only if it is a communication point.",
     AT(simulation, stop_s), 1, WR_KEY_USER},
    {"simulation.communication_step", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Distance of the communication points, counted from simulation.start, at which results are "
     "recorded and convergence is judged; \"auto\" is 500e-6, but at most a tenth and at least a "
     "millionth of the run. Set it to record other points.",
     AT(simulation, communication_step_s), 1, WR_KEY_USER},
    {"simulation.rtol", WR_KEY_REAL, "1", "1e-6", 1e-14, 0.1, NULL,
     "Relative tolerance asked of the results; a value above 2e-4 to 1e-3, by solver and "
     "grouping, is computed with that limit. Lower it for more accurate results.",
     AT(simulation, rtol), 1, WR_KEY_USER},
    {"simulation.atol_factor", WR_KEY_REAL, "1", "0.01", 1e-12, 1e6, NULL,
     "Absolute tolerance of a variable = rtol * atol_factor * its nominal value.",
     AT(simulation, atol_factor), 1, WR_KEY_EXPERT},
    {"simulation.event_tolerance", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Largest delay with which a state event is found, at least the distance of two numbers at "
     "that time; \"auto\" is 1e-4 rtol times the step in which the event lies. Set a time if "
     "indicators are expensive to evaluate and such delays do not matter.",
     AT(simulation, event_tolerance_s), 1, WR_KEY_USER},
    {"simulation.max_event_iterations", WR_KEY_INTEGER, "1", "100", 1, 1e6, NULL,
     "Most passes of event handling at one instant before the run gives up.",
     AT(simulation, max_event_iterations), 1, WR_KEY_EXPERT},
    {"simulation.max_stuck_events", WR_KEY_INTEGER, "1", "100", 1, 1e9, NULL,
     "Most events within simulation.chatter_time before the run gives up as chattering.",
     AT(simulation, max_stuck_events), 1, WR_KEY_EXPERT},
    {"simulation.chatter_time", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Span in which more than simulation.max_stuck_events state events, or a hundred times as "
     "many events of any kind, count as chattering; \"auto\" is 1000 times "
     "simulation.event_tolerance or the clock's resolution, and 3e-7 of the run for events of "
     "any kind. Shorten it if a fast model is refused as chattering.",
     AT(simulation, chatter_time_s), 1, WR_KEY_EXPERT},
    {"simulation.event_blocks", WR_KEY_INTEGER, "1", "2000", 1, 1e9, NULL,
     "A subsystem with at least so many indicators evaluates and locates them by blocks that have "
     "nothing to do with one another.",
     AT(simulation, event_blocks), 0, WR_KEY_EXPERT},
    {"simulation.monolithic", WR_KEY_AUTO_FLAG, "", "false", 0, 0, NULL,
     "true puts all components into one subsystem, whatever [[subsystem]] says; \"auto\" does so "
     "where that takes less work on one core, found out by simulating the beginning both ways.",
     AT(simulation, monolithic), 1, WR_KEY_USER},

    {"relaxation.scheme", WR_KEY_CHOICE, "", "\"jacobi\"", 0, 0, "jacobi|gauss_seidel|slack",
     "Order of a sweep: all subsystems at once (jacobi) or one after the other (gauss_seidel); "
     "slack "
     "relaxes nothing: subsystems exchange at slack.period and go on without waiting for one "
     "another.",
     AT(relaxation, scheme), 1, WR_KEY_USER},
    {"relaxation.window.initial", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Length of the first window (with control work a sixteenth of it); \"auto\" is a "
     "communication step, moved into [min, max].",
     AT(relaxation, window_initial_s), 1, WR_KEY_USER},
    {"relaxation.window.min", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Shortest window, at least the distance of two numbers at that time; \"auto\" is 1e-5 "
     "communication steps. Lower it if a coupling does not contract there, which ends the run.",
     AT(relaxation, window_min_s), 1, WR_KEY_USER},
    {"relaxation.window.max", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Longest window; \"auto\" is 1000 communication steps. One solver alone has no windows.",
     AT(relaxation, window_max_s), 1, WR_KEY_USER},
    {"relaxation.window.control", WR_KEY_STRING, "", "\"work\"", 0, 0, NULL,
     "How the next window length is chosen: least predicted work per simulated second (work), "
     "from the ratio of two convergence measures (ratio), or always the initial one (fixed).",
     AT(relaxation, window_control), 1, WR_KEY_USER},
    {"relaxation.max_sweeps", WR_KEY_INTEGER, "1", "12", 1, 1000, NULL,
     "Most sweeps of one window before it is shortened; where shorter windows would not contract "
     "faster, or may not be shorter, many more are tried.",
     AT(relaxation, max_sweeps), 1, WR_KEY_EXPERT},
    {"relaxation.convergence", WR_KEY_REAL, "1", "0.1", 1e-6, 1e3, NULL,
     "Effect on a subsystem of what its inputs still changed by that is accepted, in units of the "
     "tolerance.",
     AT(relaxation, convergence), 1, WR_KEY_USER},
    {"relaxation.error_limit", WR_KEY_REAL, "1", "0.0", 0, 1e12, NULL,
     "Error of splitting, as the run estimates it, above which it ends with a status of its own, "
     "in units of simulation.rtol and the signals' ranges; 0 = none.",
     AT(relaxation, error_limit), 1, WR_KEY_USER},
    {"relaxation.max_work", WR_KEY_REAL, "1", "1000.0", 0.0, 1e300, NULL,
     "Most work of a split run, in units of the work of one solver for all of it. A run that "
     "would take more at its present pace is given up; 0 = never. Runs of less than about a "
     "minute have no limit.",
     AT(relaxation, max_work), 1, WR_KEY_EXPERT},
    {"relaxation.on_failure", WR_KEY_CHOICE, "", "\"one_solver\"", 0, 0, "one_solver|stop",
     "What `wrsim` does where relaxation does not converge, a coupling's slope looks infinite, or "
     "relaxation.max_work is spent: it starts the run again as one subsystem and says so, or ends "
     "with the error. Restarted runs, and runs whose results go to a pipe, always end with the "
     "error.",
     AT(relaxation, on_failure), 1, WR_KEY_USER},
    {"relaxation.solver_tolerance_factor", WR_KEY_REAL, "1", "0.2", 1e-6, 1.0, NULL,
     "Tolerance of the solvers = rtol times this when there are several subsystems.",
     AT(relaxation, solver_tolerance_factor), 1, WR_KEY_USER},
    {"relaxation.tuned_rtol", WR_KEY_REAL, "1", "0.0", 0.0, 0.1, NULL,
     "The simulation.rtol for which solver_tolerance_factor and convergence are tuned: below it "
     "both shrink in proportion, to a tenth at most; 0 = they never shrink. Set it if a split "
     "run at a tight rtol has larger errors than one solver.",
     AT(relaxation, tuned_rtol), 1, WR_KEY_EXPERT},
    {"relaxation.tolerance_first", WR_KEY_REAL, "1", "1.0", 1.0, 1e6, NULL,
     "Factor on the solvers' tolerances in the first sweep of a window that is expected to take "
     "three sweeps or more. Raise it if windows take many sweeps and solvers take many steps.",
     AT(relaxation, tolerance_first), 1, WR_KEY_EXPERT},
    {"relaxation.prediction", WR_KEY_CHOICE, "", "\"auto\"", 0, 0,
     "auto|hold|linear|quadratic|cubic",
     "Extrapolation of the inputs into a new window; auto chooses per signal.",
     AT(relaxation, prediction), 1, WR_KEY_EXPERT},
    {"relaxation.active_set", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true skips subsystems whose inputs did not change since they last integrated the window.",
     AT(relaxation, active_set), 1, WR_KEY_EXPERT},
    {"relaxation.acceleration", WR_KEY_CHOICE, "", "\"auto\"", 0, 0, "auto|none|anderson",
     "How a sweep's inputs are guessed from earlier sweeps of the window: not at all (none), or by "
     "Anderson's method (anderson). auto is anderson if an algebraic loop crosses subsystems, else "
     "none. Set anderson if a tight coupling takes many sweeps. In an algebraic loop every choice "
     "but none takes Newton's step first, and auto replaces none if sweeps contract too slowly.",
     AT(relaxation, acceleration), 1, WR_KEY_EXPERT},
    {"relaxation.max_nodes", WR_KEY_AUTO, "1", "\"auto\"", 16, 1e7, NULL,
     "Most waveform nodes of one subsystem in one window; memory is reserved for them. \"auto\" is "
     "4096, and fewer, down to 64, in models of more than 64 subsystems.",
     AT(relaxation, max_nodes), 1, WR_KEY_EXPERT},
    {"relaxation.history.period", WR_KEY_REAL, "", "0.0", 0.0, 1e30, NULL,
     "Period after which waveforms repeat, for prediction: by how much the phase grows meanwhile, "
     "or seconds without one; 0 is none.",
     AT(relaxation, history_period), 1, WR_KEY_USER},
    {"relaxation.history.phase", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Output (component.variable) that grows all the time, such as a crank angle; \"\" is time.",
     AT(relaxation, history_phase), 1, WR_KEY_USER},
    {"relaxation.history.max_nodes", WR_KEY_INTEGER, "1", "16384", 64, 1e8, NULL,
     "Waveform nodes remembered per subsystem; half of them should span a period. At least twice "
     "`relaxation.max_nodes` are.",
     AT(relaxation, history_nodes), 1, WR_KEY_EXPERT},

    {"slack.period", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Period at which subsystems exchange what they publish; 0 is simulation.communication_step.",
     AT(slack, period_s), 1, WR_KEY_USER},
    {"slack.shortest_period", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "As short as the periods of connections may become with \"shorten\" (slack.on_loc, "
     "slack.on_glo): "
     "slack.period divided by 2, 4, 8 ... 1024; 0 is a sixteenth of it.",
     AT(slack, shortest_period_s), 1, WR_KEY_USER},
    {"slack.bound", WR_KEY_INTEGER, "1", "1", -1, 1000, NULL,
     "How many periods old what is read may be at most: beyond it the reader waits. 0 waits "
     "always, "
     "so that results do not depend on the clock; -1 never waits.",
     AT(slack, bound), 1, WR_KEY_USER},
    {"slack.sweeps", WR_KEY_INTEGER, "1", "1", 1, 100, NULL,
     "How often each period is integrated, from the second time on against the others' waveforms "
     "of it; more "
     "than one waits as slack.bound = 0 does.",
     AT(slack, sweeps), 1, WR_KEY_USER},
    {"slack.delays", WR_KEY_CHOICE, "", "\"live\"", 0, 0, "live|fixed|drawn",
     "Ages of what is read: as late as the others are (live), always slack.delay periods (fixed), "
     "or drawn "
     "from 0 to slack.delay by slack.seed (drawn). The last two depend on no clock.",
     AT(slack, delays), 1, WR_KEY_USER},
    {"slack.delay", WR_KEY_INTEGER, "1", "1", 0, 1000, NULL,
     "Periods, with slack.delays = \"fixed\" or \"drawn\".", AT(slack, delay), 1, WR_KEY_USER},
    {"slack.seed", WR_KEY_INTEGER, "1", "1", 0, 2147483647, NULL,
     "With slack.delays = \"drawn\": another one draws other delays.", AT(slack, seed), 1,
     WR_KEY_USER},
    {"slack.watch", WR_KEY_INTEGER, "1", "0", 0, 1000000, NULL,
     "Every n-th period of a subsystem is watched: the effect of stale inputs is "
     "estimated when the right inputs are known; 0 watches none. 1 integrates every period "
     "again, at up to twice the right-hand sides of the run.",
     AT(slack, watch), 1, WR_KEY_USER},
    {"slack.eps_loc", WR_KEY_REAL, "1", "0.0", 0.0, 1e12, NULL,
     "Limit on what stale inputs cost in one step of a solver (E_c, relative to a state's "
     "size); 0 is none. Needs slack.watch.",
     AT(slack, eps_loc), 1, WR_KEY_USER},
    {"slack.eps_glo", WR_KEY_REAL, "1", "0.0", 0.0, 1e12, NULL,
     "Limit on the estimated error of a value by all delays so far, relative to its size; 0 is "
     "none. Needs slack.watch.",
     AT(slack, eps_glo), 1, WR_KEY_USER},
    {"slack.on_loc", WR_KEY_CHOICE, "", "\"warn\"", 0, 0, "log|warn|shorten|wait|relax|stop",
     "What follows above slack.eps_loc: it is counted (log), and said after the run (warn); the "
     "period "
     "of the connection through which most came is halved as often as it takes (shorten); the "
     "subsystem waits for the one through which most came from then on (wait), integrates its "
     "periods once more, against the others' waveforms of the period itself (relax; again, up to "
     "four times in all); the run is stopped (stop).",
     AT(slack, on_loc), 1, WR_KEY_USER},
    {"slack.on_glo", WR_KEY_CHOICE, "", "\"warn\"", 0, 0, "log|warn|shorten|wait|relax|stop",
     "The same above slack.eps_glo.", AT(slack, on_glo), 1, WR_KEY_USER},
    {"slack.log", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Result file of its own (.csv, .h5) with what each subsystem knew of the others in every "
     "period, to "
     "be replayed; \"\" writes none.",
     AT(slack, log), 0, WR_KEY_USER},
    {"slack.replay", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Such a log, of a run of the same config: the run repeats it to the same bits, on any number "
     "of "
     "workers; \"\" replays none.",
     AT(slack, replay), 0, WR_KEY_USER},

    {"realtime.rate", WR_KEY_REAL, "1", "0.0", 0.0, 1e6, NULL,
     "Simulated seconds per second of wall time; 0 does not pace the run: it goes as fast as it "
     "can.",
     AT(realtime, rate), 1, WR_KEY_USER},
    {"realtime.deadline", WR_KEY_REAL, "s", "0.0", 0.0, 1e6, NULL,
     "Wall time after which a period that was begun in time must be done; 0 is its length / "
     "realtime.rate: then the next one begins.",
     AT(realtime, deadline_s), 1, WR_KEY_USER},
    {"realtime.misses", WR_KEY_INTEGER, "1", "0", 0, 1e6, NULL,
     "How many deadlines may be missed in any realtime.of steps in a row.", AT(realtime, misses), 1,
     WR_KEY_USER},
    {"realtime.of", WR_KEY_INTEGER, "1", "1", 1, 1e6, NULL,
     "Steps in a row that realtime.misses is about; a step is missed where any subsystem misses "
     "it.",
     AT(realtime, of), 1, WR_KEY_USER},
    {"realtime.policy", WR_KEY_CHOICE, "", "\"report\"", 0, 0, "report|hold|degrade|stop",
     "What is done where more are missed: it is told at the end (report), output ports keep their "
     "last values in time (hold), tolerances are looser and sweeps fewer until realtime.of steps "
     "are in time (degrade), or the run ends (stop).",
     AT(realtime, policy), 1, WR_KEY_USER},
    {"realtime.degraded_tolerance", WR_KEY_REAL, "1", "10.0", 1.0, 1e6, NULL,
     "Factor on the solvers' tolerances while realtime.policy = \"degrade\" does so.",
     AT(realtime, degraded_tolerance), 1, WR_KEY_EXPERT},
    {"realtime.soft", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true only counts what is missed: nothing is asked of realtime.policy.", AT(realtime, soft), 1,
     WR_KEY_USER},
    {"realtime.catch_up", WR_KEY_REAL, "s", "1.0", 1e-6, 1e6, NULL,
     "Wall time that is caught up at most: what begins later than that, as after a machine has "
     "slept or its clock was set, moves the schedule instead.",
     AT(realtime, catch_up_s), 0, WR_KEY_EXPERT},
    {"realtime.wait", WR_KEY_CHOICE, "", "\"sleep\"", 0, 0, "sleep|mixed|spin",
     "How workers wait for a moment: asleep, the last 100 us awake (mixed), or always awake "
     "(spin), which takes their cores from everybody else.",
     AT(realtime, wait), 0, WR_KEY_USER},
    {"realtime.priority", WR_KEY_INTEGER, "1", "0", 0, 99, NULL,
     "SCHED_FIFO priority of the workers; 0 asks for none.", AT(realtime, priority), 0,
     WR_KEY_USER},
    {"realtime.lock_memory", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true keeps all memory of the process from being paged out.", AT(realtime, lock_memory), 0,
     WR_KEY_USER},
    {"realtime.strict", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true ends the run before it begins where the system refuses priority, cores or locked "
     "memory; false only says so.",
     AT(realtime, strict), 0, WR_KEY_USER},
    {"realtime.jitter", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true measures beside the run how late the machine wakes a thread that does nothing, with a "
     "thread of its own.",
     AT(realtime, jitter), 0, WR_KEY_USER},

    {"scheduler.workers", WR_KEY_AUTO, "1", "\"auto\"", 1, 4096, NULL,
     "Number of worker threads; \"auto\" takes one per physical core, at most one per subsystem.",
     AT(scheduler, workers), 0, WR_KEY_USER},
    {"scheduler.cores", WR_KEY_INTEGERS, "", "[]", 0, 65535, NULL,
     "Logical numbers of the physical cores to use, as `wrsim topology` prints them; [] takes all.",
     AT(scheduler, n_cores), 0, WR_KEY_USER},
    {"scheduler.event_threads", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true: in a run of one subsystem, not in real time, workers beyond the first evaluate its "
     "indicators with it where at least simulation.event_blocks are due, as threads of the module "
     "'openmp', without which one thread does it. Set it if no other program wants the cores.",
     AT(scheduler, event_threads), 0, WR_KEY_EXPERT},
    {"scheduler.smt", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true also uses the second hardware thread of a core.", AT(scheduler, smt), 0, WR_KEY_EXPERT},
    {"scheduler.pin", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true pins every worker to a core that no other run of wrsim holds, if there is one; one that "
     "is alone because several were slower, or the "
     "machine is busy, may use those of all.",
     AT(scheduler, pin), 0, WR_KEY_USER},
    {"scheduler.spin_us", WR_KEY_REAL, "us", "300.0", 0.0, 1e6, NULL,
     "How long a waiting worker spins before it sleeps.", AT(scheduler, spin_us), 0, WR_KEY_EXPERT},
    {"scheduler.min_work", WR_KEY_REAL, "1", "1000.0", 0.0, 1e12, NULL,
     "Counted work (about one unit per state and right-hand side) per window and worker below "
     "which fewer workers run; where a window has less than that but more than a tenth of it, two "
     "are tried after a while, and stay if they are faster. With 0 all run, even where one is "
     "faster, as on a busy machine.",
     AT(scheduler, min_work), 0, WR_KEY_EXPERT},
    {"scheduler.topology", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Synthetic machine description of hwloc to place workers on, for tests; \"\" is this machine.",
     AT(scheduler, topology), 0, WR_KEY_EXPERT},

    {"output.file", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Result file; its extension (.csv, .h5) chooses the format, \"\" writes none.",
     AT(output, file), 0, WR_KEY_USER},
    {"output.signals", WR_KEY_STRINGS, "", "[]", 0, 0, NULL,
     "Names or patterns with * and ? over component.variable; [] records all outputs and states.",
     AT(output, n_signals), 1, WR_KEY_USER},
    {"output.decimation", WR_KEY_INTEGER, "1", "1", 1, 1e9, NULL,
     "Every n-th communication point is recorded.", AT(output, decimation), 1, WR_KEY_USER},
    {"output.start", WR_KEY_REAL, "s", "-inf", -HUGE_VAL, 1e30, NULL,
     "Nothing is recorded before this time, at most simulation.stop; -inf records from the start.",
     AT(output, start_s), 1, WR_KEY_USER},
    {"output.events", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true also records the values left and right of every event.", AT(output, events), 1,
     WR_KEY_USER},
    {"output.waves", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true also records the waveforms that subsystems publish, node by node (HDF5 only), to be "
     "played by "
     "`kind = \"replay\"`.",
     AT(output, waves), 1, WR_KEY_USER},
    {"output.json", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "File for the machine-readable summary; \"\" writes none.", AT(output, json), 0, WR_KEY_USER},

    {"solver.kind", WR_KEY_STRING, "", "\"auto\"", 0, 0, NULL,
     "Integration method: " WR_INTEGRATOR_LIST(FIRST_NAME, NEXT_NAME) ".", AT(solver, kind), 1,
     WR_KEY_USER},
    {"solver.step", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Step of a fixed-step method, largest step of a variable-step one; 0 sets none.",
     AT(solver, step_s), 1, WR_KEY_USER},
    {"solver.min_step", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Step below which the integration has failed; 0 takes the limit of the arithmetic.",
     AT(solver, min_step_s), 1, WR_KEY_EXPERT},
    {"solver.rtol", WR_KEY_REAL, "1", "0.0", 0.0, 0.1, NULL,
     "Relative tolerance of the solver, at most 1e-3; 0 derives it from simulation.rtol.",
     AT(solver, rtol), 1, WR_KEY_USER},
    {"solver.linear_solver", WR_KEY_CHOICE, "", "\"auto\"", 0, 0, "auto|dense|sparse",
     "Linear algebra of implicit methods; auto is dense for small subsystems, sparse for large.",
     AT(solver, linear_solver), 1, WR_KEY_EXPERT},
    {"solver.max_order", WR_KEY_INTEGER, "1", "0", 0, 12, NULL,
     "Highest order that cvode_bdf (at most 5) and cvode_adams (at most 12) may use; 0 leaves it "
     "to them.",
     AT(solver, max_order), 1, WR_KEY_EXPERT},
    {"solver.spare_steps", WR_KEY_INTEGER, "1", "-1", -1, 1e6, NULL,
     "Bounds the work of a fixed-step method: up to the next communication point, or end of a "
     "period or window, it takes as many steps as solver.step asks for, events or not, at most so "
     "many more, and at most 8 coarse ones; what then still is due is handled at the end of a "
     "step, "
     "late. -1 bounds nothing.",
     AT(solver, spare_steps), 1, WR_KEY_USER},
    {"solver.budget", WR_KEY_INTEGER, "1", "0", 0, 2147483647, NULL,
     "Bounds the work of a method with error control: right-hand sides up to the next "
     "communication point, or end of a period or window; when they are spent, a few steps whose "
     "error "
     "does not count do the rest. 0 bounds nothing.",
     AT(solver, budget), 1, WR_KEY_USER},
    {"solver.over_budget", WR_KEY_CHOICE, "", "\"finish\"", 0, 0, "finish|fail",
     "What is done where solver.spare_steps or solver.budget do not do: finish as said there and "
     "count it, or end the run.",
     AT(solver, over_budget), 1, WR_KEY_USER},
    {"solver.pattern", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "File (Matrix Market) with the entries of the Jacobian that linimp uses, the others count as "
     "zero, as `wrsim sparse` writes it; a relative path starts at the config file's folder. \"\" "
     "uses all.",
     AT(solver, pattern), 1, WR_KEY_USER},
    {"solver.code", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Shared object, compiled from what `wrsim codegen` writes, that factorises linimp's matrices; "
     "a relative path starts at the config file's folder. \"\" takes KLU.",
     AT(solver, code), 1, WR_KEY_USER},
    {"solver.alpha", WR_KEY_REALS, "", "[]", -1e12, 1e12, NULL,
     "Factors of the states, the new one first, in the formula of kind = \"multistep\": sum "
     "alpha_j "
     "x_{n-j} = step * sum beta_j f_{n-j}, of up to 8 steps. The formula must converge, which "
     "`wrsim stability` shows.",
     AT(solver, n_alpha), 1, WR_KEY_USER},
    {"solver.beta", WR_KEY_REALS, "", "[]", -1e12, 1e12, NULL,
     "Factors of the slopes in that formula, the new one first; as many as of solver.alpha, or "
     "fewer, then the rest is zero. A first one that is not zero makes it implicit.",
     AT(solver, n_beta), 1, WR_KEY_USER},

    {.path = NULL},
};

const wr_gone_key wr_gone_keys[] = {
    {"relaxation.relaxation_factor", "acceleration finds its own factor; leave it out"},
    {"relaxation.anderson_depth", "Anderson's method remembers five sweeps; leave it out"},
    {"subsystem.follows", "it is called 'history_source' now"},
    {NULL, NULL},
};

const wr_gone_value wr_gone_values[] = {
    {"relaxation.acceleration", "aitken", "use \"anderson\""},
    {"relaxation.acceleration", "relaxation", "use \"anderson\""},
    {"relaxation.tolerance_first", "auto", "leave it out, or write a number"},
    {NULL, NULL, NULL},
};

const wr_table wr_tables[] = {
    [WR_LIST_COMPONENT] =
        {"component",
         "One instance of a model.",
         {{"name", "string, required", "Unique; a letter or `_`, then letters, digits and `_`."},
          {"model", "string, required", "Name of a built-in model or of one from a plug-in."},
          {"parameters", "table",
           "Values that replace the model's defaults: numbers, `true` or `false`, texts and names "
           "in quotes, as the "
           "model wants them (`wrsim models MODEL` lists them)."},
          {"start", "table of numbers",
           "Start values of states, and values of inputs that stay unconnected, that replace the "
           "model's."},
          {"tolerance_factor",
           "number, " TEXT(WR_KEY_LEAST_FACTOR) " to " TEXT(WR_KEY_LARGEST_FACTOR),
           "Multiplies the solver's relative and absolute tolerance for the states of this "
           "component (1 unless given): less where a small error is felt elsewhere, more where "
           "nobody looks."}}},
    [WR_LIST_CONNECTION] =
        {"connection",
         "An output drives an input.",
         {{"from", "string, required", "The output, `component.variable`."},
          {"to", "string or list, required", "The input or inputs, `component.variable`."},
          {"signals", "list of strings",
           "Several signals at once: `from` and `to` are then components, and "
           "each entry is the name that output and input share, or "
           "`\"output -> input\"`."},
          {"period", "number, s",
           "With `relaxation.scheme = \"slack\"`, where it goes from one subsystem to "
           "another: these two exchange at least so often. `slack.period` divided "
           "by 2, 4, 8 ... 1024."}}},
    [WR_LIST_SUBSYSTEM] =
        {"subsystem",
         "Components that one solver integrates together.",
         {{"name", "string, required", "Unique; a letter or `_`, then letters, digits and `_`."},
          {"components", "list of strings, required", "Names, or patterns with `*` and `?`."},
          {"kind", "string",
           "`\"components\"`, the default: a solver integrates them. `\"replay\"`: what they "
           "publish is "
           "played from a result file."},
          {"file", "string, with `kind = \"replay\"`",
           "The result file, best recorded with `output.waves`; a relative path starts at the "
           "config "
           "file's folder."},
          {"solver", "table", "Keys of `[solver]`, for this subsystem only."},
          {"history_source", "string",
           "Subsystem with the same outputs whose waveforms this one repeats, such as the cylinder "
           "that fired before, or itself a part of the period ago; a candidate for prediction if "
           "`relaxation.history.period` is given."},
          {"lag", "number, > 0, < period, with `history_source`",
           "By how much later, in units of the phase."},
          {"level", "whole number, 0 to " TEXT(WR_KEY_MOST_LEVEL),
           "With `relaxation.scheme = \"gauss_seidel\"`, which of the rounds of a sweep it is "
           "integrated in: "
           "lower levels come first, and those of one level at once, as Jacobi has it among them. "
           "All subsystems have a level or none; without any the connections say."}}},
    [WR_LIST_PLUGIN] =
        {"plugin",
         "A file of further models: a shared object, or a state-space file as `wrsim reduce` "
         "writes it.",
         {{"file", "string, required",
           "Path; a relative one starts at the config file's folder."}}},
    [WR_LIST_PORT] =
        {"port",
         "Where a host that embeds wrsim sets an input or reads a signal (`wrsim/port.h`).",
         {{"name", "string, required", "Unique; a letter or `_`, then letters, digits and `_`."},
          {"to", "string or list, or `from`",
           "Makes it an input port: the inputs that it drives, `component.variable`, which nothing "
           "else drives."},
          {"start", "number, with `to`",
           "Its value before the first that is set; else the start value of the first input."},
          {"mode", "string, with `to`",
           "`\"hold\"`, the default: a value acts at once and is held. `\"ramp\"`: it is reached "
           "over one communication step."},
          {"from", "string, or `to`",
           "Makes it an output port: the output, state or input that it shows, "
           "`component.variable`."}}},
    [WR_LIST_SCENARIO] =
        {"scenario",
         "What happens to a signal, a state or a parameter: drive cycles, faults of sensors and "
         "actuators.",
         {{"name", "string",
           "Unique, also among components: what is recorded of it (`NAME.value`, `NAME.is_on`) "
           "has it. Needed where a host says when."},
          {"signal", "string, or `parameter`",
           "An output that is connected: all who read it see what the scenario makes of it; an "
           "input: only that; with `action = \"reset\"` a state or discrete state."},
          {"to", "string or list, with an output as `signal`", "Only these inputs see it."},
          {"parameter", "string, or `signal`",
           "`component.parameter`, one that the model marks as tunable; it has `value` meanwhile."},
          {"action", "string, with `signal`",
           "`\"override\"` (has `value`), `\"bias\"` (plus `value`), `\"gain\"` (times `value`), "
           "`\"ramp\"` (from what it was to `value` within `ramp_time`), `\"freeze\"` (keeps what "
           "it "
           "was), `\"replay\"` (what `file` has), `\"reset\"` (a state gets `value` once)."},
          {"value", "number", "What the action needs."},
          {"at", "number or `\"api\"`",
           "When it begins, s of simulated time. `\"api\"`, or neither `at` nor `when`: when a "
           "host "
           "says so (`wrsim/scenario.h`)."},
          {"when", "string",
           "It begins when this first becomes true: an output or a connected input, `<` or `>`, "
           "and a number, such as `\"crank.speed > 3000\"`."},
          {"until", "number", "When it ends, s of simulated time; else it goes on."},
          {"duration", "number, > 0", "Or: how long it lasts, s."},
          {"ramp_time", "number, > 0, with `\"ramp\"`", "How long the ramp takes, s."},
          {"file", "string, with `\"replay\"`",
           "A result file, or a table (`.csv`) whose first column is time and whose header names "
           "the others; a relative path starts at the config file's folder."},
          {"column", "string, with `\"replay\"`", "Which column of it."},
          {"between", "string, with `\"replay\"`",
           "`\"linear\"`, the default, or `\"hold\"`: between two points; the first and the last "
           "value hold outside of them."},
          {"offset", "number, with `\"replay\"`",
           "The time in the file at which it is when the scenario begins, s; 0 unless given."}}},
    [WR_LIST_COUNT] = {NULL, NULL, {{NULL, NULL, NULL}}},
};
/* clang-format on */

const wr_key *wr_key_find(const char *path)
{
    for (const wr_key *key = wr_keys; key->path; key++)
        if (strcmp(key->path, path) == 0)
            return key;
    return NULL;
}

/* Appends; what does not fit is cut. */
static void add_text(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t bytes, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, bytes - n, format, args);
    va_end(args);
}

void wr_key_type_text(const wr_key *key, char *ret_text, size_t bytes)
{
    static const char *const names[] = {
        [WR_KEY_REAL] = "number",
        [WR_KEY_INTEGER] = "whole number",
        [WR_KEY_FLAG] = "true or false",
        [WR_KEY_CHOICE] = "one of ",
        [WR_KEY_STRING] = "string",
        [WR_KEY_STRINGS] = "list of strings",
        [WR_KEY_INTEGERS] = "list of whole numbers",
        [WR_KEY_REALS] = "list of numbers",
        [WR_KEY_AUTO] = "\"auto\" or whole number",
        [WR_KEY_AUTO_REAL] = "\"auto\" or number",
        [WR_KEY_AUTO_FLAG] = "true, false or \"auto\"",
    };
    const int has_range = key->type == WR_KEY_REAL || key->type == WR_KEY_INTEGER ||
                          key->type == WR_KEY_AUTO || key->type == WR_KEY_AUTO_REAL ||
                          key->type == WR_KEY_INTEGERS || key->type == WR_KEY_REALS;
    ret_text[0] = '\0';
    add_text(ret_text, bytes, "%s", names[key->type]);
    for (const char *c = key->type == WR_KEY_CHOICE ? key->choices : ""; *c;) {
        const int n = (int)strcspn(c, "|");
        add_text(ret_text, bytes, "%.*s%s", n, c, c[n] ? ", " : "");
        c += n + (c[n] == '|');
    }
    if (has_range && isinf(key->min))
        add_text(ret_text, bytes, ", up to %.10g", key->max);
    else if (has_range)
        add_text(ret_text, bytes, ", %.10g to %.10g", key->min, key->max);
    if (key->unit[0] && strcmp(key->unit, "1") != 0)
        add_text(ret_text, bytes, ", in %s", key->unit);
}
