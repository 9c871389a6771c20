# LSODAR (Petzoldt, Hindmarsh) of deSolve as a peer, called by wrsim-peers:
#     Rscript lsodar.R MODEL.so --method lsodar --rtol R [--warm S] [--result FILE --grid S] [--stops FILE --longest S] [-D ...] CONFIG
# A root ends a step. Then deSolve calls the event function and restarts LSODAR.

words <- commandArgs(trailingOnly = TRUE)
say <- function(name, value) cat(name, format(value, digits = 10), "\n", sep = " ")
quit_why <- function(why) {
    cat("why", gsub("\n", " ", why), "\n")
    quit(status = 1)
}

if (!requireNamespace("deSolve", quietly = TRUE))
    quit_why("R's package deSolve is not installed (Debian: r-cran-desolve)")
if ("--probe" %in% words)
    quit(status = 0)

option <- function(name, otherwise) {
    at <- match(name, words)
    if (is.na(at)) otherwise else words[at + 1]
}
rtol <- as.numeric(option("--rtol", "1e-6"))
warm <- as.numeric(option("--warm", "0"))
grid <- as.numeric(option("--grid", "0"))
result <- option("--result", "")
stops <- option("--stops", "")
longest <- if (stops != "") as.numeric(option("--longest", "0")) # longest step, s; NULL: the distance of the results
overrides <- c(words[which(words == "-D") + 1], sprintf("simulation.rtol=%.17g", rtol))
dyn.load(words[1])
dll <- sub("\\.so$", "", basename(words[1]))

loaded <- .C("peer_r_load", words[length(words)], length(overrides), overrides, size = integer(2),
             times = double(2), why = strrep(" ", 512))
if (loaded$size[1] < 0)
    quit_why(loaded$why)
n <- loaded$size[1]
first <- .C("peer_r_start", x = double(n), rtol = double(n), atol = double(n))
start <- loaded$times[1]
stop_at <- loaded$times[2]

integrate <- function(x, times, nout)
    deSolve::lsodar(x, times, func = "peer_r_rhs", parms = NULL, rtol = first$rtol, atol = first$atol,
                    dllname = dll, initfunc = "peer_r_init", nout = nout, maxsteps = 1e7, hmax = longest,
                    rootfunc = "peer_r_roots", nroot = loaded$size[2],
                    events = list(func = "peer_r_event", root = TRUE))
counts <- function() .C("peer_r_counts", double(5))[[1]]

run <- function() {
    if (result != "") {
        .C("peer_r_record", result, grid, ok = 0L)
        last <- start + floor((stop_at - start) / grid * (1 + 1e-12)) * grid
        before <- counts()
        out <- integrate(first$x, start + (0:round((last - start) / grid)) * grid, 1)
        after <- counts()
        .C("peer_r_record", "", 0, ok = 0L)
    } else {
        x <- first$x
        last <- stop_at
        if (warm > 0)
            x <- integrate(x, c(start, start + warm), 0)[2, 1 + seq_along(x)]
        before <- counts()
        if (stops != "" && !.C("peer_r_stops", stops, ok = 0L)$ok)
            quit_why(sprintf("'%s' cannot be written", stops))
        out <- integrate(x, c(start + warm, stop_at), 0)
        after <- counts()
        if (stops != "" && !.C("peer_r_stops", "", ok = 0L)$ok)
            quit_why(sprintf("'%s' cannot be written", stops))
    }
    if (attr(out, "istate")[1] < 0 || tail(out[, 1], 1) < last - 1e-9 * abs(last))
        quit_why(sprintf("LSODAR ended with code %d", attr(out, "istate")[1]))
    d <- after - before
    say("wall_s", d[1])
    say("cpu_s", d[2])
    say("n_step", attr(out, "istate")[2])
    say("n_rhs", d[3])
    say("n_indicator", d[4])
    say("n_event", d[5])
}
tryCatch(run(), error = function(e) quit_why(conditionMessage(e)))
