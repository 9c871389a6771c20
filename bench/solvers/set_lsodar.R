# LSODAR (Petzold, Hindmarsh) of deSolve on the problems of wrsim-solvers, with the rows that solver_bench.c describes:
#     Rscript set_lsodar.R FOLDER rows REFERENCES PROBLEM ...
#     Rscript set_lsodar.R FOLDER families PROBLEM ...
# FOLDER has libwrsim_problems.so. A row of LSODAR has no counted work (NaN), no rejected steps and no method changes (NA).

if (!requireNamespace("deSolve", quietly = TRUE)) {
    message("R's package deSolve is not installed; install the Debian package r-cran-desolve")
    quit(status = 1)
}
words <- commandArgs(trailingOnly = TRUE)
dyn.load(file.path(words[1], "libwrsim_problems.so"))
is_rows <- words[2] == "rows"
references <- if (is_rows) words[3] else ""
tolerances <- 10^-(4:9)
# Factor on the tolerance in families: CALIBRATION of integ_lsoda.c, so that both solvers have the same tolerance per step.
calibration <- 0.03

integrate <- function(problem, times, rtol) {
    .C("set_r_count", double(1))
    out <- deSolve::lsodar(problem$x, c(0, times), func = "set_r_rhs", parms = NULL, rtol = rtol, atol = rtol * problem$nominal,
                           dllname = "libwrsim_problems", initfunc = "set_r_init", maxsteps = 1e6)
    is_there <- attr(out, "istate")[1] > 0 && nrow(out) == length(times) + 1
    list(x = t(out[-1, -1, drop = FALSE]), is_there = is_there, istate = attr(out, "istate"), n_rhs = .C("set_r_count", n = double(1))$n)
}

rows <- function(name, problem, size) for (rtol in tolerances) {
    run <- integrate(problem, .C("set_r_times", size[2], t = double(size[2]))$t, rtol)
    if (!run$is_there)
        next
    error <- .C("set_r_error", as.double(run$x), error = double(1))$error
    cat(name, "lsodar", format(rtol), format(error, digits = 6), run$n_rhs, "NaN", run$istate[2], "NA", "NA", run$istate[14], "\n")
}

# One run for each time, because the method indicator (element 15 of istate: method of the last step) is known at the end only.
families <- function(name, problem, size) for (rtol in tolerances) {
    times <- .C("set_r_times", size[3], t = double(size[3]))$t
    implicit <- vapply(times, function(t) integrate(problem, t, calibration * rtol)$istate[15] - 1, 0)
    cat(name, "lsodar", format(rtol), implicit, "\n")
}

for (name in words[-(1:(if (is_rows) 3 else 2))]) {
    size <- .C("set_r_open", name, references, size = integer(3))$size
    problem <- .C("set_r_start", x = double(size[1]), nominal = double(size[1]))
    (if (is_rows) rows else families)(name, problem, size)
}
