"""Programs of the distribution that ask where their stack lies, or fork: R, Octave, Guile, ECL and w3m on two nodes say what they say
alone. Each where it is installed."""
import os
import shutil

from cases import Cases
from outcome import Skip, check
from stacks import compiled, on_nodes

CASES = Cases()

SUMS_BY_GROUP = """
suppressMessages(library(data.table))
set.seed(1)
d <- data.table(g = sample(1000L, 3e5, TRUE), h = sample(letters, 3e5, TRUE), x = runif(3e5))
r <- d[, .(s = sum(x), n = .N, m = max(x)), by = .(g, h)]
setorder(r, g, h)
print(c(sum(r$s), sum(r$n), sum(r$m)), digits = 15); print(r[c(1, 500, nrow(r))]); print(d[order(g, x)][c(1, 3e5)])
"""
CHILDREN = """
library(parallel)
has_tables <- suppressWarnings(require(data.table, quietly = TRUE))
set.seed(1)
x <- runif(3e5)
g <- sample(100L, 3e5, TRUE)
sums <- if (has_tables) data.table(g = g, x = x)[, sum(x), by = g][order(g)]$V1 else as.vector(tapply(x, g, sum))
print(unlist(mclapply(1:8, function(i) sum(x[seq(i, length(x), 8)]) + sum(sums) + sum(x[g == i]), mc.cores = 4)), digits = 15)
"""
DEPTH = "f <- function(n) if (n == 0) 0 else 1 + f(n - 1); print(f(500)); print(Cstack_info()[['size']] > 0)"
MATRICES = """
A = reshape(mod((1:160000) * 7919, 10007), 400, 400) / 10007 + 400 * eye(400); b = (1:400)'; x = A \\ b;
printf("%d\\n", norm(A * x - b) < 1e-8); s = svd(A); printf("%.8g %.8g\\n", s(1), s(400));
F = fft2(A); printf("%.8g\\n", real(F(1, 1)));
"""
LISTS = """
(define (build n) (let loop ((i 0) (all '())) (if (= i n) all (loop (+ i 1) (cons (make-string 10 #\\a) all)))))
(define (deep n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
(let loop ((i 0) (sum 0)) (if (= i 20) (begin (display sum) (newline)) (loop (+ i 1) (+ sum (length (build 50000)) (deep 5000)))))
"""
CONSES = """
(defun build (n) (loop for i below n collect (make-string 10)))
(defun deep (n) (if (= n 0) 0 (+ 1 (deep (- n 1)))))
(print (loop for i below 20 sum (+ (length (build 20000)) (deep 500))))
(si::gc t) (terpri)
"""


def compare(site, program, arguments, text, times=3, **settings):
    if not shutil.which(program):
        raise Skip(f"{program} is not installed")
    folder = site.build / "guest"
    folder.mkdir(exist_ok=True)
    script = folder / f"script-{program}-{abs(hash(text))}-{os.getpid()}"
    script.write_text(text)
    try:
        command = [program, *arguments, str(script)]
        code, expected, err = site.run(command, LD_PRELOAD=None)
        check(code == 0 and expected, f"{command} alone: {code}, {expected!r}, said {err!r}")
        for _ in range(times):
            code, out, said = on_nodes(site, command, OMP_NUM_THREADS="4", **settings)
            check((code, out) == (0, expected), f"{command}: {code}, {out!r} instead of {expected!r}, said {said!r}")
    finally:
        script.unlink()


def collects(site, program, arguments, text):
    """It knows nothing of OpenMP; a library that does, loaded with it, makes it a program of several nodes."""
    user = compiled(site, "nested", "-shared", "-fPIC", "-DPLUGIN", name="libuser.so")
    compare(site, program, arguments, text, LD_PRELOAD=f"{site.build / 'lib' / 'libhetmp.so'}:{user}")


def in_r(site, text):
    compare(site, "Rscript", ["--vanilla"], text)


@CASES.add
def r_recurses_as_deep(site):
    in_r(site, DEPTH)


@CASES.add
def r_sums_by_group(site):
    code, _, _ = site.run(["Rscript", "-e", "library(data.table)"], LD_PRELOAD=None) if shutil.which("Rscript") else (1, "", "")
    if code != 0:
        raise Skip("R with data.table is not installed")
    in_r(site, SUMS_BY_GROUP)


@CASES.add
def r_has_children(site):
    in_r(site, CHILDREN)


@CASES.add
def octave_solves(site):
    compare(site, "octave-cli" if shutil.which("octave-cli") else "octave", ["--norc", "-q"], MATRICES)


@CASES.add
def guile_collects(site):
    collects(site, "guile", ["--no-auto-compile", "-s"], LISTS)


@CASES.add
def ecl_collects(site):
    collects(site, "ecl", ["--norc", "--shell"], CONSES)


@CASES.add
def w3m_renders(site):
    collects(site, "w3m", ["-T", "text/html", "-dump"], "<table>" + "".join(
        f"<tr><td>{n}<td><b>{n * n}</b></tr>" for n in range(2000)) + "</table>")
