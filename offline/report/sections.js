/* The sections of the page of wrsim report. A section without data names the key or option that records the data. */
"use strict";
const sections = document.getElementById("sections"), contents = document.getElementById("contents");

function section(id, title) {
    const node = el("section", {id: id, "aria-labelledby": id + "-title"}, el("h2", {id: id + "-title"}, title));
    sections.append(node);
    contents.append(el("a", {href: "#" + id}, title));
    return node;
}
const note = text => el("p", {class: "note"}, text);
const notice = text => el("p", {class: "notice", role: "note"}, text);
const seconds = ns => ns == null ? "\u2013" : ns >= 1e9 ? rounded(ns / 1e9) + " s" : ns >= 1e6 ? rounded(ns / 1e6) + " ms" : rounded(ns / 1e3) + " us";

function facts(rows) {
    return el("div", {class: "scroll"}, el("table", {}, el("tbody", {}, ...rows.filter(row => row[1] != null && row[1] !== "").map(row =>
        el("tr", {}, el("th", {scope: "row"}, row[0]), el("td", {class: "name"}, row[1]))))));
}

/* The first entries of a list, and a note in host if there are more. */
function few(list, n, host, what) {
    if (list.length > n) host.append(note("The page has the first " + count(n) + " of " + count(list.length) + " " + what + "."));
    return list.slice(0, n);
}

/* ---- overview ---- */

function overview() {
    document.title = DATA.file + " \u2013 wrsim report";
    document.getElementById("title").textContent = DATA.file;
    document.getElementById("subtitle").textContent = "report of wrsim " + DATA.version + (DATA.twin_file ? ", compared with " + DATA.twin_file : "");
    const s = SUMMARY, host = section("overview", "Run");
    if (s && !s.is_complete) host.append(notice("The run is not complete: " + s.reason));
    if (!DATA.n_row) host.append(notice("The result file has no row at a communication point."));
    host.append(facts([["simulated", DATA.n_row ? rounded(DATA.start_s, 9) + " s to " + rounded(DATA.stop_s, 9) + " s, " + count(DATA.n_row) + " communication points" : null],
        ["signals", count(DATA.n_signal)],
        ["config", s && s.config_file],
        ["wall time", s && rounded(s.wall_s) + " s, " + rounded((s.time_s - s.start_s) / s.wall_s) + " x real time"],
        ["size", s && count(s.n_subsystem) + " subsystems, " + count(s.n_state) + " continuous states, " + count(s.n_indicator) + " event indicators"],
        ["workers", s && count(s.n_worker) + ", in use at the end " + count(s.n_active_worker)]]));
    if (!s) host.append(note("Option --summary adds counters, machine, error account and deadlines of the run: wrsim run --json S.json, then wrsim report --summary S.json."));
}

/* ---- signals ---- */

/* A signal of the data with decoded arrays. */
function decoded(signal) {
    if (!(signal.v instanceof Float64Array)) {
        signal.t = signal.t == null ? gridTimes() : doubles(signal.t);
        signal.v = doubles(signal.v);
        signal.b = signal.b == null ? null : doubles(signal.b);
    }
    return signal;
}
let grid = null;
function gridTimes() { return grid || (grid = doubles(DATA.grid)); }

/* The points of the twin of a signal. */
function twinOf(signal) {
    const t = [], v = [];
    signal.b.forEach((value, i) => { if (!Number.isNaN(value)) { t.push(signal.t[i]); v.push(value); } });
    return {t: Float64Array.from(t), v: Float64Array.from(v)};
}
function differenceOf(signal) {
    const t = [], v = [];
    signal.b.forEach((value, i) => { if (!Number.isNaN(value)) { t.push(signal.t[i]); v.push(signal.v[i] - value); } });
    return {t: Float64Array.from(t), v: Float64Array.from(v)};
}

function isConstant(signal) { return signal.v.every(value => Object.is(value, signal.v[0]) || Number.isNaN(value)); }

class SignalView {
    constructor(host) {
        this.shown = [];
        this.scaled = el("input", {type: "checkbox", onchange: () => this.draw()});
        this.withTwin = el("input", {type: "checkbox", checked: true, onchange: () => this.draw()});
        this.withDifference = el("input", {type: "checkbox", onchange: () => this.draw()});
        this.plots = el("div", {});
        const choice = el("div", {});
        this.list = new SignalList(choice, DATA.signals, Infinity, () => this.draw());
        choice.append(el("div", {class: "tools"}, el("button", {type: "button", onclick: () => this.list.choose([])}, "show none")));
        const has = DATA.signals.some(signal => signal.b);
        host.append(note("Choose signals. Signals of one unit share a plot. Drag in a plot to zoom; all plots of the page have the same time axis. " +
            "A plot with the focus has keys: arrows move the cursor, + and \u2212 zoom, 0 shows the whole run."),
            el("div", {class: "choice"}, choice, el("div", {}, el("div", {class: "tools"}, el("label", {}, this.scaled, "one plot, each signal scaled to its range"),
                has ? el("label", {}, this.withTwin, "twin, dashed") : null, has ? el("label", {}, this.withDifference, "difference from the twin") : null),
            zoomTools(), this.plots)));
        this.list.choose(this.first());
    }
    /* The first signals, without constant ones if others exist. */
    first() {
        const all = DATA.signals.map((s, i) => i), moving = all.filter(i => i < 400 && !isConstant(decoded(DATA.signals[i])));
        return (DATA.n_pattern ? all : moving.length ? moving : all).slice(0, 3);
    }
    draw() {
        const range = plots.length ? plots[0].graph.xAxisRange() : null;
        this.shown.forEach(plot => plot.remove());
        this.shown = [];
        const panels = new Map(), add = (title, series) => { if (!panels.has(title)) panels.set(title, []); panels.get(title).push(series); };
        this.list.chosen.forEach((i, k) => {
            const signal = decoded(DATA.signals[i]), dash = k >= 8 ? [6, 3] : null, isTwin = signal.b && this.withTwin.checked;
            const scale = this.scaled.checked ? scaleOf(signal) : {};
            const unit = signal.unit && signal.unit !== "1" ? "unit " + signal.unit : "without a unit";
            const title = this.scaled.checked ? "signals, scaled to their ranges" : unit;
            const base = {name: signal.name, unit: signal.unit, colour: colour(k), dash: dash, ...scale};
            add(title, {...base, t: signal.t, v: signal.v});
            if (isTwin) add(title, {...base, ...twinOf(signal), name: signal.name + " (twin)", dash: [3, 4], colour: colour(6)});
            if (signal.b && this.withDifference.checked) add("difference from the twin, " + unit, {...base, ...differenceOf(signal), scale: 1, shift: 0});
        });
        for (const [title, series] of panels) this.shown.push(new Plot(this.plots, title, series, {isSpoken: true}));
        if (range) setRange(...range);
    }
}

/* Maps the range of a signal to 0 .. 1. */
function scaleOf(signal) {
    const finite = [...signal.v].filter(Number.isFinite), low = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const width = finite.reduce((a, b) => Math.max(a, b), -Infinity) - low;
    return width > 0 && Number.isFinite(1 / width) ? {scale: 1 / width, shift: -low / width} : {};
}

function signals() {
    const host = section("signals", "Signals");
    if (!DATA.signals.length) return void host.append(note("The result file has no signal."));
    if (DATA.signals.length < DATA.n_chosen) host.append(notice("The page has " + count(DATA.signals.length) + " of " + count(DATA.n_chosen) +
        " signals" + (DATA.twin_file ? ", those with the largest differences from the twin" : "") + ". Option --signal of wrsim report chooses signals by name or pattern."));
    const thin = DATA.signals.filter(s => s.n_shown < s.n);
    if (thin.length) host.append(notice("Of long curves the page has the lowest and highest points of short spans, such as " + count(thin[0].n_shown) + " of " + count(thin[0].n) +
        " points of " + thin[0].name + ". Option --signal with fewer signals leaves more points of each."));
    new SignalView(host);
}

/* ---- twin ---- */

function twin() {
    const c = DATA.compared;
    if (!c) return;
    const host = section("twin", "Run and twin");
    host.append(note(count(c.n_signal) + " common signals at " + count(c.n_row) + " common points. Only one file has: " + count(c.n_only_a + c.n_only_b) +
        " signals, " + count(c.n_row_only_a + c.n_row_only_b) + " points. The errors are relative to the range in the twin."),
        table([["signal", "name"], ["range", "number"], ["largest difference", "number"], ["of the range", "number"], ["RMS of the range", "number"], ["at t [s]", "number"]],
            c.worst.map(d => [d.name + (d.is_constant ? " (constant)" : ""), rounded(d.range, 5), rounded(d.max_abs, 5), rounded(d.max_rel, 5), rounded(d.rms_rel, 5), rounded(d.t_s, 9)])));
    if (c.n_signal > c.worst.length) host.append(note("The table has the " + c.worst.length + " signals with the largest differences. wrsim compare prints all."));
}

/* ---- windows ---- */

function windows() {
    const host = section("windows", "Windows and sweeps"), w = DATA.windows, s = SUMMARY;
    if (!w) return void host.append(note(s && s.n_subsystem === 1 ? "The run has one subsystem, so it has no windows." :
        DATA.no_log || "The run has no windows. Runs of several subsystems with sweeps have windows."));
    const t = doubles(w.start), end = doubles(w.end), reason = doubles(w.reason), length = t.map((x, i) => end[i] - x);
    const good = [...t.keys()].filter(i => reason[i] === 0), bad = [...t.keys()].filter(i => reason[i] !== 0);
    const pick = (list, v) => ({t: Float64Array.from(list, i => t[i]), v: Float64Array.from(list, i => v[i])});
    const line = (name, unit, values, i, more) => ({name: name, unit: unit, colour: colour(i), ...pick(good, values), isStep: true, ...more});
    host.append(note(count(w.by_reason[0]) + " accepted windows, " + count(w.n - w.by_reason[0]) + " rejected." +
        (w.n_shown < w.n ? " The plots have " + count(w.n_shown) + " of them." : "")), zoomTools());
    const lengths = [line("accepted window", "s", length, 0)];
    if (bad.length) lengths.push({name: "rejected window", unit: "s", colour: colour(1), isPoints: true, ...pick(bad, length)});
    new Plot(host, "length of windows [s]", lengths);
    const sweeps = doubles(w.sweeps), change = doubles(w.change);
    new Plot(host, "sweeps per window", [line("sweeps", "", sweeps, 2)]);
    new Plot(host, "predicted against corrected: largest change of a waveform, in tolerances",
        [line("by the first sweep (error of the prediction)", "", doubles(w.prediction), 1), line("by the last sweep", "", change, 0)], {isLog: true});
    const contraction = doubles(w.contraction), known = good.filter(i => !Number.isNaN(contraction[i]));
    if (known.length) new Plot(host, "contraction per sweep", [{name: "contraction", unit: "", colour: colour(3), isPoints: true, ...pick(known, contraction)}]);
    host.append(bars("integrations of each subsystem in accepted windows", [{name: "integrations", colour: colour(0)}],
        few(w.subsystems, 100, host, "subsystems").map((name, i) => ({label: name, values: [w.totals[i]], text: count(w.totals[i]) + ", " + rounded(w.totals[i] / w.by_reason[0], 3) + " per window"}))));
    new Plot(host, "integrations per window", w.subsystems.slice(0, 16).map((name, i) => line(name, "", doubles(w.integrations[i]), i, {dash: i >= 8 ? [6, 3] : null})));
    if (bad.length) host.append(table([["reason of a rejection", "name"], ["windows", "number"]], w.reasons.map((text, i) => [text, count(w.by_reason[i])]).slice(1).filter((row, i) => w.by_reason[i + 1])));
}

/* ---- steps and events ---- */

const ENDS = {chosen: "chosen by the method", limit: "end of a window, or longest step", known: "time known in advance", event: "state event"};

function stepLengths(host, subsystems) {
    const groups = Object.keys(ENDS).map((key, i) => ({key: key, name: ENDS[key], colour: colour([0, 7, 2, 1][i])}));
    const grid = el("div", {class: "grid"});
    host.append(el("h3", {}, "Lengths of steps, by the cause of the step's end"), note("All sweeps count. A row has the steps between its length and twice its length."), grid);
    for (const s of few(subsystems, 24, host, "subsystems")) {
        const n = s.step_length ? s.step_length.chosen.length : 0;
        if (!n) continue;
        grid.append(bars(s.name, groups, Array.from({length: n}, (unused, i) => ({label: rounded(s.step_length.from_s * Math.pow(2, i), 3) + " s", values: groups.map(g => s.step_length[g.key][i])}))));
    }
}

function stepsAndEvents() {
    const host = section("events", "Steps and events"), s = SUMMARY, e = DATA.events;
    if (s) {
        if (s.n_subsystem > s.subsystems.length) host.append(note("The page has the first " + count(s.subsystems.length) + " of " + count(s.n_subsystem) + " subsystems."));
        host.append(table([["subsystem", "name"], ["solver", "name"], ["integrations", "number"], ["steps", "number"], ["rejected", "number"], ["right-hand sides", "number"], ["state events", "number"], ["time events", "number"], ["input jumps", "number"], ["stops per step", "number"]],
            s.subsystems.map(x => [x.name, x.solver, count(x.n_integration), count(x.n_step), count(x.n_rejected), count(x.n_rhs), count(x.n_state_event), count(x.n_time_event), count(x.n_input_jump),
                share(x.n_state_event + x.n_time_event + x.n_input_jump, x.n_step)])));
        stepLengths(host, s.subsystems);
    } else host.append(note("Option --summary adds the counts and lengths of steps."));
    if (!e) return void host.append(note(DATA.no_log));
    host.append(el("h3", {}, "Stops of solvers in the accepted course of the run"));
    if (e.n_lost) host.append(notice("The log lacks " + count(e.n_lost) + " rows, because the disk was too slow or a window had too many events."));
    host.append(table([["subsystem", "name"], ["stops", "number"], ["state events", "number"], ["time events", "number"], ["input jumps", "number"]],
        few(e.subsystems, 200, host, "subsystems").map(x => [x.name, count(x.n_stop), count(x.n_state) + " (" + share(x.n_state, x.n_stop) + ")", count(x.n_time) + " (" + share(x.n_time, x.n_stop) + ")", count(x.n_jump) + " (" + share(x.n_jump, x.n_stop) + ")"])));
    const shown = e.subsystems.filter(x => x.t);
    if (shown.some(x => x.n_stop > 1)) new Plot(host, "time between two stops of a subsystem [s]", shown.slice(0, 16).map((x, i) => {
        const t = doubles(x.t), v = doubles(x.gap);
        return {name: x.name, unit: "s", colour: colour(i), isPoints: true, t: t, v: v};
    }), {isLog: true});
    host.append(el("h3", {}, "Indicators and time events that fired"), table([["indicator", "name"], ["subsystem", "name"], ["times", "number"], ["rising", "number"], ["falling", "number"], ["first t [s]", "number"], ["last t [s]", "number"], ["changes", "name"]],
        e.items.map(x => [x.name, x.subsystem, count(x.n), count(x.n_rising), count(x.n_falling), rounded(x.first_s, 9), rounded(x.last_s, 9), x.changes || (x.type === "indicator" ? "the mode of the indicator" : "")])));
    if (e.n_item > e.items.length) host.append(note("The table has the " + count(e.items.length) + " most frequent of " + count(e.n_item) + "."));
}

/* ---- cores ---- */

function workers() {
    const host = section("cores", "Cores"), s = SUMMARY, t = DATA.trace;
    if (s) {
        const groups = [{name: "in tasks", colour: colour(2)}, {name: "waiting", colour: colour(1)}];
        host.append(bars("wall time of workers", groups, s.workers.map((w, i) => ({label: "worker " + i + (w.cpu >= 0 ? ", cpu " + w.cpu : ""),
            values: [w.busy_ns, w.wait_ns], text: seconds(w.busy_ns) + " in " + count(w.n_task) + " tasks, " + seconds(w.wait_ns) + " waiting"}))));
    }
    if (!t) return void host.append(note("Option --trace adds the timeline of each core and the compute time of each communication step: wrsim run --trace T.json, then wrsim report --trace T.json."));
    if (t.n_omitted > 0) host.append(notice("The trace has the newest part of the run. It lacks " + count(t.n_omitted) + " older records."));
    const n = doubles(t.start_us).length;
    if (t.n_slice > n) host.append(note("The timeline has the newest " + count(n) + " of " + count(t.n_slice) + " tasks and waits."));
    new Timeline(host, t);
    if (t.compute.length) {
        host.append(zoomTools());
        new Plot(host, "compute time of each window or period, all sweeps [us]", t.compute.slice(0, 16).map((c, i) => ({name: c.name, unit: "us", colour: colour(i), dash: i >= 8 ? [6, 3] : null, isStep: true, t: doubles(c.t), v: doubles(c.us)})));
    }
    if (t.steps.length) new Plot(host, "mean step size in each window [s]", t.steps.slice(0, 16).map((c, i) => ({name: c.name, unit: "s", colour: colour(i), isPoints: true, t: doubles(c.t), v: doubles(c.length)})), {isLog: true});
}

/* Tasks of each worker over wall time, on a canvas. */
class Timeline {
    constructor(host, trace) {
        this.trace = trace;
        this.start = doubles(trace.start_us);
        this.length = doubles(trace.length_us);
        this.worker = doubles(trace.worker);
        this.item = doubles(trace.item);
        this.first = trace.first_us;
        this.last = trace.last_us;
        this.range = [this.first, this.last];
        this.tip = el("div", {class: "note", "aria-live": "polite"}, "\u00a0");
        this.canvas = el("canvas", {tabindex: "0", role: "application", "aria-label": "timeline of the workers. Arrow keys move the view, plus and minus zoom, 0 shows all."});
        const button = (text, label, action) => el("button", {type: "button", "aria-label": label, title: label, onclick: action}, text);
        host.append(el("h3", {}, "Tasks of each worker over wall time [us]"), el("div", {class: "timeline"}, el("ul", {class: "legend"}, ...trace.names.map((name, i) =>
            el("li", {}, el("span", {class: "swatch", style: {borderColor: this.colour(i)}}), name))),
            el("div", {class: "tools", role: "group", "aria-label": "timeline"}, button("+", "zoom in", () => this.zoom(0.5)), button("\u2212", "zoom out", () => this.zoom(2)),
                button("\u25c0", "earlier", () => this.pan(-0.4)), button("\u25b6", "later", () => this.pan(0.4)), button("all", "show all", () => this.show(this.first, this.last))),
            this.canvas, this.tip));
        this.canvas.addEventListener("keydown", e => this.key(e));
        this.canvas.addEventListener("pointermove", e => this.point(e));
        this.canvas.addEventListener("wheel", e => { if (e.ctrlKey) { e.preventDefault(); this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.at(e.offsetX)); } }, {passive: false});
        new ResizeObserver(() => this.draw()).observe(this.canvas);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
        const middle = (this.first + this.last) / 2, few = 40 * (this.last - this.first) / Math.max(1, this.start.length / trace.n_worker);
        this.show(middle - few, middle + few);
    }
    /* The last name stands for waits. */
    colour(i) { return i === this.trace.names.length - 1 ? "var(--line)" : colour(i % 7); }
    at(x) { return this.range[0] + (x - 30) / (this.canvas.clientWidth - 30) * (this.range[1] - this.range[0]); }
    show(low, high) {
        const width = Math.min(this.last - this.first, Math.max(high - low, 1)) || 1;
        low = Math.max(this.first, Math.min(low, this.last - width));
        this.range = [low, low + width];
        this.draw();
    }
    zoom(factor, centre) {
        const [low, high] = this.range, x = centre == null ? (low + high) / 2 : centre;
        this.show(x - (x - low) * factor, x + (high - x) * factor);
    }
    pan(part) { const [low, high] = this.range; this.show(low + part * (high - low), high + part * (high - low)); }
    key(event) {
        const action = {"+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), "ArrowLeft": () => this.pan(-0.2), "ArrowRight": () => this.pan(0.2),
            "0": () => this.show(this.first, this.last)}[event.key];
        if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
        action();
        event.preventDefault();
    }
    draw() {
        const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, row = 28, height = this.trace.n_worker * row + 22;
        this.canvas.style.height = height + "px";
        this.canvas.width = width * ratio;
        this.canvas.height = height * ratio;
        const c = this.canvas.getContext("2d"), [low, high] = this.range, x = us => 30 + (us - low) / (high - low) * (width - 30);
        c.scale(ratio, ratio);
        c.font = "12px system-ui, sans-serif";
        const text = getComputedStyle(document.body).color, colours = this.trace.names.map((name, i) => pixelColour(this.colour(i)));
        for (let i = 0; i < this.start.length; i++) {
            const a = this.start[i], b = a + this.length[i];
            if (b < low || a > high) continue;
            c.fillStyle = colours[this.item[i]];
            const left = Math.max(30, x(a));
            c.fillRect(left, this.worker[i] * row + 3, Math.max(0.6, Math.min(width, x(b)) - left), row - 6);
        }
        c.fillStyle = text;
        for (let i = 0; i < this.trace.n_worker; i++) c.fillText(String(i), 8, i * row + 18);
        for (const tick of roundTicks(low, high, Math.max(2, Math.floor(width / 110)))) c.fillText(tick.label, Math.min(x(tick.v), width - 50), height - 6);
    }
    point(event) {
        const us = this.at(event.offsetX), worker = Math.floor(event.offsetY / 28);
        for (let i = 0; i < this.start.length; i++)
            if (this.worker[i] === worker && this.start[i] <= us && us <= this.start[i] + this.length[i])
                this.tip.textContent = "worker " + worker + ", " + this.trace.names[this.item[i]] + ": " + exact(this.length[i]) + " us from " + exact(this.start[i]) + " us";
    }
}

/* ---- deadlines, delays ---- */

function deadlines() {
    const r = SUMMARY && SUMMARY.realtime;
    if (!r) return;
    const host = section("deadlines", "Deadlines");
    host.append(facts([["steps", count(r.n_step)], ["missed", count(r.n_miss) + ", at most " + r.misses + " of " + r.of + " are allowed"], ["violations", count(r.n_violation)],
        ["longest run of misses", count(r.longest_run)], ["period", rounded(r.period_s) + " s"], ["deadline", rounded(r.deadline_s) + " s"], ["policy", r.policy]]));
    const groups = (title, i, list) => bars(title, [{name: "steps", colour: colour(i)}], (list || []).map(b => ({label: "from " + seconds(b.from_ns), values: [b.n]})));
    host.append(el("div", {class: "grid"}, groups("steps by their compute time", 0, r.compute_histogram), groups("steps by their margin before the deadline", 2, r.margin_histogram)));
    const row = (name, t) => [name, count(t.n), seconds(t.mean_ns), seconds(t.least_ns), seconds(t.median_ns), seconds(t["quantile_0.999_ns"]), seconds(t.most_ns)];
    host.append(table([["time", "name"], ["n", "number"], ["mean", "number"], ["least", "number"], ["median", "number"], ["99.9 %", "number"], ["most", "number"]],
        [row("compute", r.compute), row("lateness of the start", r.lateness), row("margin", r.margin), ...(r.jitter ? [row("jitter", r.jitter)] : []), ...r.subsystems.map(s => row("compute of " + s.name, s.compute))]));
    if (r.worst_steps.length) host.append(el("h3", {}, "Latest steps"), table([["t [s]", "number"], ["after the deadline", "number"], ["subsystem", "name"], ["compute", "number"], ["late start", "number"], ["right-hand sides", "number"], ["events", "number"]],
        r.worst_steps.map(w => [rounded(w.time_s, 9), seconds(w.over_ns), w.subsystem, seconds(w.compute_ns), seconds(w.late_ns), count(w.n_rhs), count(w.n_event)])));
}

function delays() {
    const s = SUMMARY;
    if (!s || !s.ages && !s.delay_errors) return;
    const host = section("delays", "Ages and delay errors");
    if (s.ages) host.append(bars("largest age of data at the start of a period [s]", [{name: "age", colour: colour(4)}],
        s.ages.map(a => ({label: a.connection, values: [a.most_s], text: rounded(a.most_s) + " s, mean " + rounded(a.mean_s) + " s"}))));
    if (!s.delay_errors) return void host.append(note("The key slack.watch adds the errors of stale inputs."));
    host.append(el("h3", {}, "Errors of stale inputs, in tolerances"), table([["subsystem", "name"], ["current", "number"], ["state", "name"], ["at t [s]", "number"], ["estimate", "number"], ["state", "name"], ["at t [s]", "number"], ["above eps_loc", "number"], ["above eps_glo", "number"]],
        s.delay_errors.map(d => [d.name, rounded(d.current), d.current_state, rounded(d.current_s, 9), rounded(d.estimate), d.estimate_state, rounded(d.estimate_s, 9), count(d.n_above_loc), count(d.n_above_glo)])),
        el("h3", {}, "Connections"), table([["from", "name"], ["to", "name"], ["largest", "number"], ["at t [s]", "number"], ["sum", "number"]],
            s.delay_errors.flatMap(d => d.connections.map(c => [c.producer, d.name, rounded(c.current), rounded(c.current_s, 9), rounded(c.sum)]))));
}

/* ---- error account, settings ---- */

function account() {
    const a = SUMMARY && SUMMARY.error_account;
    if (!a) return;
    const host = section("account", "Error account");
    host.append(note("Estimated error that splitting adds to the results, relative to the range of a signal."),
        facts([["estimated error", rounded(a.error) + (a.limit > 0 ? ", limit " + rounded(a.limit) : "")], ["above the limit", a.is_above ? "yes" : null], ["worst subsystem", a.subsystem],
            ["worst connection", a.connection], ["not covered", a.not_covered]]),
        bars("causes of the error", [{name: "share", colour: colour(1)}], [["waveforms between nodes", a.waves], ["changes within a step of a reader", a.readers], ["sweeps that ended early", a.sweeps]].map(row =>
            ({label: row[0], values: [row[1]], text: rounded(row[1])}))));
    const worst = [...(a.connections || [])].sort((x, y) => y.relative - x.relative);
    if (worst.length) host.append(el("h3", {}, "The worst connection of each subsystem"), table([["connection", "name"], ["relative to the worst", "number"]], worst.map(w => [w.connection, rounded(w.relative, 3)])));
}

function settings() {
    const host = section("settings", "Settings and machine"), m = SUMMARY && SUMMARY.machine;
    if (m) host.append(facts(Object.entries(m).map(([key, value]) => [key, typeof value === "object" ? JSON.stringify(value) : value])));
    else host.append(note("Option --summary adds the machine."));
    if (SUMMARY && SUMMARY.warnings && SUMMARY.warnings.length) host.append(el("h3", {}, "Warnings"), el("ul", {}, ...SUMMARY.warnings.map(w => el("li", {}, w.text))));
    host.append(el("details", {}, el("summary", {}, "config"), el("pre", {tabindex: "0"}, DATA.config || "The result file has no config.")));
}

for (const make of [overview, signals, twin, windows, stepsAndEvents, workers, deadlines, delays, account, settings]) make();
