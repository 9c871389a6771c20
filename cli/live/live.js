/* The live view: asks the run for its newest rows and steps, and draws them. Uses elements and plots of page.js. */
"use strict";
const POLL_MS = 250, MOST_POINTS = 6000, MOST_SIGNALS = 8, FIRST_SIGNALS = 3;
const SPANS_S = [["last 1 s", 1], ["last 10 s", 10], ["last 60 s", 60], ["since the page opened", Infinity]];

/* Keeps the points with the lowest and the highest value of each of many spans, and a gap of each span. A gap has no value. columns: arrays of
 * values; t: their times. */
function thinned(t, columns, most) {
    const keep = new Uint8Array(t.length), n = Math.max(1, Math.floor(most / 2 / Math.max(1, columns.length)));
    keep[0] = keep[t.length - 1] = 1;
    for (let i = 0; i < n; i++) {
        const from = Math.floor(t.length * i / n), to = Math.floor(t.length * (i + 1) / n);
        for (let k = from; k < to; k++) if (columns.every(column => Number.isNaN(column[k]))) { keep[k] = 1; break; }
        for (const column of columns) {
            let low = -1, high = -1;
            for (let k = from; k < to; k++) {
                if (!Number.isFinite(column[k])) continue;
                if (low < 0 || column[k] < column[low]) low = k;
                if (high < 0 || column[k] > column[high]) high = k;
            }
            if (low >= 0) keep[low] = keep[high] = 1;
        }
    }
    const pick = list => list.filter((value, k) => keep[k]);
    return [pick(t), columns.map(pick)];
}

/* Points of one source, in bounded memory: the newest span, and at most MOST_POINTS points. */
class History {
    constructor(n) {
        this.t = [];
        this.columns = Array.from({length: n}, () => []);
    }
    /* hasGap: points before the first of these points are lost, so no line may join them. */
    add(t, columns, span_s, hasGap) {
        if (hasGap && this.t.length && t.length) {
            this.t.push(this.t[this.t.length - 1]);
            for (const column of this.columns) column.push(NaN);
        }
        for (let k = 0; k < t.length; k++) {
            this.t.push(t[k] === null ? NaN : t[k]);
            this.columns.forEach((column, i) => column.push(columns[i][k] === null ? NaN : columns[i][k]));
        }
        let first = 0;
        while (this.t[this.t.length - 1] - this.t[first] > span_s) first++;
        if (first > 0) {
            this.t.splice(0, first);
            for (const column of this.columns) column.splice(0, first);
        }
        if (this.t.length > MOST_POINTS) [this.t, this.columns] = thinned(this.t, this.columns, MOST_POINTS / 2);
    }
}

/* A plot whose points change. */
class LivePlot extends Plot {
    set(points) {
        points.forEach(([t, v], i) => { this.series[i].t = t; this.series[i].v = v; });
        this.rows = mergeRows(this.series);
        this.times = Float64Array.from(this.rows, row => row[0]);
    }
    /* Dygraphs reads new points only if it also draws them, so one call does both. */
    setRange(low, high) {
        this.low = low;
        this.high = high;
        this.graph.updateOptions({file: this.rows.length ? this.rows : [[0, ...this.series.map(() => null)]], dateWindow: [low, high],
                                  valueRange: valueLimits(this.rows, low, high)});
    }
}

const live = {run: null, generation: -1, list: null, shown: [], row: 0, step: 0, span_s: 10, isFollowing: true, rows: null, steps: null,
              signalPlots: [], stepPlots: [], speed: null, lost: 0};
const byId = id => document.getElementById(id);
const number = (value, digits) => value === null || !Number.isFinite(value) ? "\u2013" : rounded(value, digits);
const us = list => list.map(ns => ns === null ? null : ns / 1e3);

async function ask(path) {
    const answer = await fetch(path, {cache: "no-store"});
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
}

/* ---- choice of signals ---- */

function wantedNames() {
    try {
        return decodeURIComponent(location.hash.slice(1)).split("\n").filter(name => name);
    } catch (error) {
        return [];
    }
}

function show(indices) {
    live.shown = indices;
    history.replaceState(null, "", "#" + encodeURIComponent(live.shown.map(i => live.run.signals[i][0]).join("\n")));
    for (const plot of live.signalPlots) plot.remove();
    live.rows = new History(live.shown.length);
    live.row = 0;
    live.signalPlots = live.shown.map((i, k) => new LivePlot(byId("signals"), inUnit(...live.run.signals[i]), [
        {name: live.run.signals[i][0], unit: live.run.signals[i][1], t: [], v: [], colour: colour(k)}], {isSpoken: true}));
}

/* ---- the page of a run ---- */

function setFollowing(isFollowing) {
    live.isFollowing = isFollowing;
    byId("follow").checked = isFollowing;
}

function tools() {
    const span = el("select", {id: "span", "aria-label": "Shown span of simulated time", onchange: event => {
        live.span_s = SPANS_S[event.target.selectedIndex][1];
        setFollowing(true);
    }}, ...SPANS_S.map(([text, span_s]) => el("option", {selected: span_s === live.span_s}, text)));
    const follow = el("input", {type: "checkbox", id: "follow", checked: live.isFollowing, onchange: event => setFollowing(event.target.checked)});
    return el("div", {class: "tools"}, span, el("label", {}, follow, "follow the run"), zoomTools());
}

function build(run) {
    for (const plot of [...plots]) plot.remove();
    live.run = run;
    live.generation = run.generation;
    live.step = 0;
    live.speed = null;
    live.steps = new History(3);
    byId("title").textContent = run.title;
    document.title = run.title + " \u2013 wrsim live view";
    byId("subtitle").textContent = "t = " + exact(run.start) + " s to " + exact(run.stop) + " s" +
        (run.rate > 0 ? ", paced at " + exact(run.rate) + " simulated s per s, period " + exact(run.period) + " s" : ", not paced: no deadlines");
    const timing = run.rate > 0 ? el("section", {id: "timing", "aria-label": "Real time"}, el("h2", {}, "Real time")) : null;
    const choice = el("div", {}), all = run.signals;
    byId("sections").replaceChildren(...[tools(), timing,
        el("section", {"aria-label": "Signals"}, el("h2", {}, "Signals"), el("div", {class: "choice"}, choice, el("div", {id: "signals"})))].filter(part => part));
    live.stepPlots = timing ? [["margin before the deadline [us]; below 0: a miss", "margin", 2], ["compute time of a step [us]", "compute time", 0],
        ["lateness of the start [us]", "lateness", 1]].map(([title, name, k]) =>
        new LivePlot(timing, title, [{name: name, unit: "us", t: [], v: [], colour: colour(k)}], {isSpoken: true})) : [];
    live.list = new SignalList(choice, all.map(([name, unit]) => ({name: name, unit: unit})), MOST_SIGNALS, show);
    choice.append(el("p", {class: "note"}, "The page shows at most " + MOST_SIGNALS + " signals." + (all.length < run.n_all ?
        " The list has the first " + count(all.length) + " of " + count(run.n_all) + "; output.signals chooses others." : "")));
    const wanted = wantedNames().map(name => all.findIndex(signal => signal[0] === name)).filter(i => i >= 0);
    live.list.choose(wanted.length ? wanted : all.map((signal, i) => i).slice(0, FIRST_SIGNALS));
}

function draw() {
    live.signalPlots.forEach((plot, k) => plot.set([[live.rows.t, live.rows.columns[k]]]));
    live.stepPlots.forEach((plot, k) => plot.set([[live.steps.t, live.steps.columns[k]]]));
    if (live.isFollowing) {
        const [first, last] = fullRange();
        setRange(Number.isFinite(live.span_s) ? Math.max(first, last - live.span_s) : first, last);
    } else if (plots.length) setRange(...plots[0].graph.xAxisRange());
    if (cursor_s !== null) for (const plot of plots) plot.showValues(cursor_s);
}

function figures(data) {
    const last = live.rows.t.length ? live.rows.t[live.rows.t.length - 1] : null, now = performance.now() / 1e3;
    if (last !== null && data.state === "running") {
        if (live.speed && last > live.speed.t) live.speed.value = (last - live.speed.t) / (now - live.speed.now);
        if (!live.speed || now - live.speed.now > 2) live.speed = {t: last, now: now, value: live.speed ? live.speed.value : null};
    }
    const list = [["simulated time", last === null ? "\u2013" : number(last, 6) + " s"], ["rows", count(data.n_row)],
                  ["simulated s per s", number(live.speed && live.speed.value, 3)]];
    if (live.run.rate > 0) {
        const [margin, compute, late] = live.steps.columns, n = margin.length, finite = margin.filter(Number.isFinite);
        list.push(["steps", count(data.n_step)], ["misses", count(data.n_miss), data.n_miss > 0],
                  ["margin now", n ? number(margin[n - 1], 4) + " us" : "\u2013", n && margin[n - 1] < 0],
                  ["least margin shown", finite.length ? number(finite.reduce((a, b) => Math.min(a, b)), 4) + " us" : "\u2013"],
                  ["compute time now", n ? number(compute[n - 1], 4) + " us" : "\u2013"], ["lateness now", n ? number(late[n - 1], 4) + " us" : "\u2013"]);
    }
    byId("figures").replaceChildren(...list.map(([name, text, isBad]) => el("div", {class: isBad ? "bad" : null}, el("dt", {}, name), el("dd", {}, text))));
}

function setState(text, kind) {
    const node = byId("state");
    if (node.textContent !== text) node.textContent = text;
    node.className = "state " + kind;
    /* Another choice would need the program for its data, and would remove the shown data. */
    if (live.list) live.list.frame.disabled = kind !== "running";
}

function take(data) {
    live.rows.add(data.t, data.v, live.span_s, data.first_row > live.row);
    live.row = data.row;
    if (data.step > live.step) {
        const period = live.run.period, before = live.steps.t.length ? live.steps.t[live.steps.t.length - 1] : live.run.start - period;
        data.step_t.forEach((t, k) => { if (t === null) data.step_t[k] = (k ? data.step_t[k - 1] : before) + period; });
        live.steps.add(data.step_t, [us(data.over).map(v => v === null ? null : 0 - v), us(data.compute), us(data.late)], live.span_s, data.first_step > live.step);
        live.step = data.step;
    }
    draw();
    figures(data);
    setState(data.state === "ended" ? "The run has ended: " + data.text + " This page keeps its data." : "The run is in progress.", data.state);
}

async function poll() {
    try {
        if (live.run === null) {
            const run = await ask("/signals");
            if (run.generation > 0 && run.generation % 2 === 0) build(run);
            else {
                const data = await ask("/data?g=" + run.generation + "&row=0&step=0&s=");
                setState(data.state === "ended" ? "The run has ended: " + data.text : "The run has not begun yet.", data.state);
                if (data.state === "ended") return;
            }
        }
        if (live.run !== null) {
            const shown = live.shown, data = await ask("/data?g=" + live.generation + "&row=" + live.row + "&step=" + live.step + "&s=" + shown.join(","));
            if (data.generation !== live.generation) live.run = null;
            else if (shown === live.shown) take(data); /* otherwise the choice has changed during the request */
            if (data.state === "ended" && shown === live.shown) return;
        }
        live.lost = 0;
    } catch (error) {
        live.lost++;
        setState(error instanceof TypeError ? "No connection: the run has ended, or its program was killed. This page keeps its data." : "The run does not answer as expected: " + error.message, "lost");
        if (live.lost >= 20) return;
    }
    setTimeout(poll, POLL_MS);
}

/* A zoom by the reader stops the page from following the run. */
for (const kind of ["mousedown", "touchstart"])
    document.addEventListener(kind, event => { if (live.run && event.target.closest(".graph")) setFollowing(false); });
document.addEventListener("keydown", event => { if (live.run && event.target.closest(".graph") && KEYS[event.key]) setFollowing(event.key === "0" || event.key === "Escape"); });
document.addEventListener("click", event => { if (live.run && event.target.closest("[aria-label='Time axis'] button")) setFollowing(false); });
poll();
