/* Elements, tables, bars and time plots of the page of wrsim report. Texts of the run reach the page as text nodes only. */
"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const SUMMARY = JSON.parse(document.getElementById("summary").textContent);

/* ---- elements ---- */

function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
        else if (key === "style") Object.assign(node.style, value);
        else if (value === true) node.setAttribute(key, "");
        else if (value !== false && value != null) node.setAttribute(key, value);
    }
    node.append(...children.filter(child => child != null).map(child => child instanceof Node ? child : String(child)));
    return node;
}

/* Base64 of little-endian doubles. */
function doubles(text) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    return new Float64Array(bytes.buffer);
}

/* The shortest text that reads back to the same double. */
function exact(value) { return Number.isNaN(value) ? "\u2013" : String(value); }
function rounded(value, digits) {
    if (value == null || Number.isNaN(value)) return "\u2013";
    const number = Number(Number(value).toPrecision(digits || 4)), size = Math.abs(number);
    return size > 0 && size < 1e-3 || size >= 1e7 ? number.toExponential().replace("e+", "e") : String(number);
}
function count(value) { return value == null ? "\u2013" : Number(value).toLocaleString("en-US"); }
function share(part, all) { return all > 0 ? (100 * part / all).toFixed(1) + " %" : "\u2013"; }
/* A colour of page.css, for styles. The browser changes it with the colours of the system. */
function colour(i) { return "var(--c" + i % 8 + ")"; }
/* The present value of such a colour, for a canvas. */
function pixelColour(text) { return getComputedStyle(document.documentElement).getPropertyValue(text.slice(4, -1)).trim(); }
function inUnit(name, unit) { return unit && unit !== "1" ? name + " [" + unit + "]" : name; }

/* columns: [title, "name" | "number"]; rows: arrays of texts. The frame is a stop of the Tab key, so that keys can scroll the table. */
function table(columns, rows) {
    const line = (tag, cells) => el("tr", {}, ...cells.map((cell, i) => el(tag, {class: columns[i][1]}, cell)));
    return el("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "table"},
        el("table", {}, el("thead", {}, line("th", columns.map(c => c[0]))), el("tbody", {}, ...rows.map(row => line("td", row)))));
}

/* The search field and the list of signals. signals: [{name, unit, description}]; most: largest number of chosen signals; onchange gets the
 * indices of the chosen signals, in the order of their choice. */
class SignalList {
    constructor(host, signals, most, onchange) {
        this.chosen = [];
        this.most = most;
        this.onchange = onchange;
        this.find = el("input", {type: "search", class: "find", placeholder: "find signals", "aria-label": "Find signals", oninput: () => this.filter()});
        this.boxes = signals.map((signal, i) => this.box(signal, i));
        this.found = el("p", {class: "note", role: "status"});
        this.frame = el("fieldset", {}, this.find, el("div", {class: "list", role: "group", "aria-label": "Shown signals"},
            ...this.boxes.map(box => box.label)), this.found);
        host.append(this.frame);
        this.filter();
    }
    box(signal, i) {
        const input = el("input", {type: "checkbox", onchange: () => this.choose(input.checked ? [...this.chosen, i] : this.chosen.filter(k => k !== i))});
        return {input: input, text: signal.name.toLowerCase(), label: el("label", {title: signal.description || null}, input, el("span", {}, signal.name),
            el("span", {class: "unit"}, signal.unit && signal.unit !== "1" ? signal.unit : ""))};
    }
    /* Shows the signals whose names contain all words of the field. */
    filter() {
        const words = this.find.value.toLowerCase().split(/\s+/);
        for (const box of this.boxes) box.label.hidden = !words.every(word => box.text.includes(word));
        this.found.textContent = count(this.boxes.filter(box => !box.label.hidden).length) + " of " + count(this.boxes.length) + " signals";
    }
    choose(list) {
        this.chosen = list.slice(0, this.most);
        this.boxes.forEach((box, i) => {
            box.input.checked = this.chosen.includes(i);
            box.input.disabled = !box.input.checked && this.chosen.length >= this.most;
        });
        this.onchange(this.chosen);
    }
}

/* A bar chart as a table. groups: [{name, colour}]; rows: [{label, values: one per group, text}]. */
function bars(title, groups, rows) {
    const largest = Math.max(1e-300, ...rows.map(row => row.values.reduce((a, b) => a + b, 0)));
    const legend = groups.length > 1 ? el("ul", {class: "legend"}, ...groups.map(g =>
        el("li", {}, el("span", {class: "swatch", style: {borderColor: g.colour}}), g.name))) : null;
    return el("div", {}, el("h3", {}, title), legend, el("table", {class: "bars"}, el("tbody", {}, ...rows.map(row =>
        el("tr", {}, el("th", {scope: "row"}, row.label),
            el("td", {class: "bar"}, ...row.values.map((value, i) => el("span", {
                title: groups[i].name + ": " + count(value), style: {background: groups[i].colour, width: 100 * value / largest + "%"}}))),
            el("td", {class: "number"}, row.text == null ? count(row.values.reduce((a, b) => a + b, 0)) : row.text))))));
}

/* ---- time plots: one time axis and one cursor for all plots of the page ---- */

const plots = [];
let cursor_s = null, isSyncing = false;

/* Returns the index of the point nearest to x; of several points at one time the first. */
function nearest(t, x) {
    let low = 0, high = t.length - 1;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (t[middle] < x) low = middle + 1;
        else high = middle;
    }
    if (low > 0 && !(t[low] - x <= x - t[low - 1])) low--;
    while (low > 0 && t[low - 1] === t[low]) low--;
    return low;
}

/* Rows of Dygraphs: the time and one value per series; null: the series has no point at this time. A series may have several points at one time. */
function mergeRows(series) {
    const at = series.map(() => 0), rows = [];
    for (;;) {
        let x = Infinity;
        series.forEach((s, i) => { if (at[i] < s.t.length && s.t[at[i]] < x) x = s.t[at[i]]; });
        if (x === Infinity) return rows;
        rows.push([x, ...series.map((s, i) => {
            if (!(at[i] < s.t.length && s.t[at[i]] === x)) return null;
            const value = s.v[at[i]++] * (s.scale || 1) + (s.shift || 0);
            return Number.isFinite(value) ? value : NaN;
        })]);
    }
}

/* Limits of an axis around finite values. Axes without a width in double precision would have no ticks. */
function valueLimits(rows, from, to) {
    let low = Infinity, high = -Infinity;
    for (const row of rows) {
        if (row[0] < from || row[0] > to) continue;
        for (let i = 1; i < row.length; i++)
            if (row[i] !== null && Number.isFinite(row[i])) { low = Math.min(low, row[i]); high = Math.max(high, row[i]); }
    }
    if (!(low <= high)) return [0, 1];
    const size = Math.max(Math.abs(low), Math.abs(high));
    const margin = Math.max(0.05 * (high / 2 - low / 2) * 2, 1e-9 * size) || 1;
    return [Math.max(low - margin, -1e305), Math.min(high + margin, 1e305)];
}

/* Limits of a logarithmic axis around positive values. */
function logLimits(rows, from, to) {
    let low = Infinity, high = 0;
    for (const row of rows) {
        if (row[0] < from || row[0] > to) continue;
        for (let i = 1; i < row.length; i++) if (row[i] > 0) { low = Math.min(low, row[i]); high = Math.max(high, row[i]); }
    }
    return low <= high ? [Math.max(low / 1.5, 1e-300), Math.min(high * 1.5, 1e300)] : [0.1, 10];
}

/* Decades of a logarithmic axis; with few decades also 2 and 5 times each. */
function logTicks(low, high) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high)), step = Math.max(1, Math.ceil((last - first) / 6)), ticks = [];
    for (let k = first; k <= last; k += step)
        for (const factor of last - first <= 3 ? [1, 2, 5] : [1]) {
            const v = factor * Math.pow(10, k);
            if (v >= low && v <= high) ticks.push({v: v, label: rounded(v, 1)});
        }
    return ticks;
}

/* About n round numbers; Dygraphs' own ticks end for no width, and overflow for huge values. */
function roundTicks(low, high, n) {
    const width = high / n - low / n, power = Math.pow(10, Math.floor(Math.log10(width)));
    const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= width) || width;
    const ticks = [], digits = Math.max(0, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / step))) + 1;
    for (let k = Math.ceil(low / step); k * step <= high && ticks.length < 50; k++)
        ticks.push({v: k * step, label: String(Number((k * step).toPrecision(Math.min(15, digits))))});
    return ticks;
}

/* Shows the values of all plots at the point of one plot that is nearest to a time. */
function setCursor(x, isSpoken) {
    cursor_s = x;
    for (const plot of plots) {
        plot.showValues(x);
        if (plot.rows.length) plot.graph.setSelection(nearest(plot.times, x));
    }
    if (isSpoken) document.getElementById("announce").textContent =
        "t = " + exact(x) + " s. " + plots.filter(p => p.isSpoken).map(p => p.spoken(x)).join(". ");
}

function fullRange() {
    let low = Infinity, high = -Infinity;
    for (const plot of plots) if (plot.rows.length) { low = Math.min(low, plot.rows[0][0]); high = Math.max(high, plot.rows[plot.rows.length - 1][0]); }
    if (!(low <= high)) return [0, 1];
    return low < high ? [low, high] : [low - 1, high + 1];
}

/* Shows a span of time in all plots, at most the whole run, and at least a few units in the last place. */
function setRange(low, high) {
    const [first, last] = fullRange(), least = 1e-13 * Math.max(Math.abs(first), Math.abs(last), last - first);
    const width = Math.min(last - first, Math.max(high - low, least));
    low = Math.max(first, Math.min(low, last - width));
    isSyncing = true;
    for (const plot of plots) plot.setRange(low, low + width);
    isSyncing = false;
}
function zoom(factor, centre) {
    const [low, high] = plots.length ? plots[0].graph.xAxisRange() : [0, 1];
    const x = centre == null || centre < low || centre > high ? (low + high) / 2 : centre;
    setRange(x - (x - low) * factor, x + (high - x) * factor);
}
function pan(part) {
    const [low, high] = plots.length ? plots[0].graph.xAxisRange() : [0, 1], move = (high - low) * part;
    setRange(low + move, high + move);
}
function zoomTools() {
    const button = (text, label, action) => el("button", {type: "button", "aria-label": label, title: label, onclick: action}, text);
    return el("div", {class: "tools", role: "group", "aria-label": "Time axis"}, button("+", "zoom in", () => zoom(0.5, cursor_s)),
        button("\u2212", "zoom out", () => zoom(2, cursor_s)), button("\u25c0", "earlier", () => pan(-0.5)),
        button("\u25b6", "later", () => pan(0.5)), button("whole run", "show the whole run", () => setRange(...fullRange())));
}

const KEYS = {
    "+": () => zoom(0.5, cursor_s), "=": () => zoom(0.5, cursor_s), "-": () => zoom(2, cursor_s), "0": () => setRange(...fullRange()),
    "Escape": () => setRange(...fullRange()), "PageUp": () => pan(-0.5), "PageDown": () => pan(0.5)
};

class Plot {
    /* series: [{name, unit, t, v, colour, dash, isStep, isPoints, scale, shift}]; t and v are arrays in ascending time. */
    constructor(host, title, series, more) {
        this.series = series;
        this.isSpoken = more && more.isSpoken;
        this.isLog = !!(more && more.isLog);
        this.rows = mergeRows(series);
        if (this.isLog) for (const row of this.rows) for (let i = 1; i < row.length; i++) if (row[i] !== null && !(row[i] > 0)) row[i] = NaN;
        this.times = Float64Array.from(this.rows, row => row[0]);
        this.values = series.map(() => el("span", {class: "value"}));
        const legend = el("ul", {class: "legend"}, ...series.map((s, i) => el("li", {},
            el("span", {class: "swatch" + (s.dash ? " dashed" : ""), style: {borderColor: s.colour}}), s.name, " ", this.values[i])));
        this.time = el("span", {class: "value"});
        const frame = el("div", {class: "graph", tabindex: "0", role: "application", "aria-label": title +
            ". Arrow keys move the cursor, plus and minus zoom, page keys move the view, 0 shows the whole run.", onkeydown: e => this.key(e)});
        this.node = el("div", {class: "plot"}, el("h3", {}, title), legend, frame, el("div", {class: "note"}, "t = ", this.time));
        host.append(this.node);
        this.frame = frame;
        const shown = plots.length ? plots[0].graph.xAxisRange() : null;
        this.graph = this.draw();
        plots.push(this);
        if (shown) setRange(...shown);
        else setRange(...fullRange());
        if (cursor_s !== null) this.showValues(cursor_s);
    }
    /* Options of Dygraphs that depend on the colours of the system. */
    colours() {
        const line = pixelColour("var(--line)"), options = {};
        this.series.forEach((s, i) => {
            options["s" + i] = {color: pixelColour(s.colour), strokePattern: s.dash || null, stepPlot: !!s.isStep, drawPoints: !!s.isPoints,
                strokeWidth: s.isPoints ? 0 : 1.4, pointSize: s.isPoints ? 2.5 : 1};
        });
        return {series: options, gridLineColor: line, axisLineColor: line};
    }
    draw() {
        return new Dygraph(this.frame, this.rows.length ? this.rows : [[0, ...this.series.map(() => null)]], {
            labels: ["t", ...this.series.map((s, i) => "s" + i)], legend: "never", connectSeparatedPoints: true, ...this.colours(),
            highlightCircleSize: 4, valueRange: this.limits(-Infinity, Infinity),
            axes: {x: {ticker: (a, b, px) => roundTicks(a, b, Math.max(2, Math.floor(px / 90)))}, y: {axisLabelWidth: 64, logscale: this.isLog,
                ticker: (a, b, px) => this.isLog ? logTicks(a, b) : roundTicks(a, b, Math.max(2, Math.floor(px / 40)))}},
            highlightCallback: (event, x) => setCursor(x),
            zoomCallback: (low, high) => { if (!isSyncing) setRange(low, high); },
            drawCallback: (graph, isFirst) => {
                if (isFirst || isSyncing || !plots.includes(this)) return;
                const [low, high] = graph.xAxisRange();
                if (low !== this.low || high !== this.high) setRange(low, high);
            }
        });
    }
    limits(from, to) { return this.isLog ? logLimits(this.rows, from, to) : valueLimits(this.rows, from, to); }
    setRange(low, high) {
        this.low = low;
        this.high = high;
        this.graph.updateOptions({dateWindow: [low, high], valueRange: this.limits(low, high)});
    }
    /* Value of a series at its point nearest to x, with the time of the point if it is another time. */
    text(i, x) {
        const s = this.series[i];
        if (!s.t.length) return "\u2013";
        let k = nearest(s.t, x);
        const t = s.t[k], values = [exact(s.v[k])];
        while (++k < s.t.length && s.t[k] === t) values.push(exact(s.v[k]));
        return values.join(" \u2192 ") + (s.unit && s.unit !== "1" ? " " + s.unit : "") + (t === x ? "" : " (t = " + exact(t) + ")");
    }
    showValues(x) {
        this.time.textContent = exact(x) + " s";
        this.values.forEach((node, i) => { node.textContent = this.text(i, x); });
    }
    spoken(x) { return this.series.map((s, i) => s.name + ": " + this.text(i, x)).join(", "); }
    key(event) {
        const n = this.times.length;
        if (event.ctrlKey || event.altKey || event.metaKey || !n) return;
        const [low, high] = this.graph.xAxisRange();
        let row = nearest(this.times, cursor_s === null || cursor_s < low || cursor_s > high ? (low + high) / 2 : cursor_s);
        const step = event.shiftKey ? 10 : 1, before = this.times[row];
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            const way = event.key === "ArrowLeft" ? -1 : 1;
            for (let k = 0; k < step && row >= 0 && row < n; k++) {
                const t = this.times[row];
                while (row >= 0 && row < n && this.times[row] === t) row += way;
            }
            row = Math.max(0, Math.min(n - 1, row));
        } else if (event.key === "Home") row = 0;
        else if (event.key === "End") row = n - 1;
        else if (KEYS[event.key]) {
            KEYS[event.key]();
            event.preventDefault();
            return;
        } else return;
        const x = this.times[row];
        if (x < low || x > high) pan((x - before) / (high - low));
        setCursor(x, true);
        event.preventDefault();
    }
    remove() {
        plots.splice(plots.indexOf(this), 1);
        this.graph.destroy();
        this.node.remove();
    }
}

/* Draws the plots again in the other colours. Dygraphs takes new colours at the next change of a range. */
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const plot of plots) plot.graph.updateOptions(plot.colours(), true);
    if (plots.length) setRange(...plots[0].graph.xAxisRange());
});
