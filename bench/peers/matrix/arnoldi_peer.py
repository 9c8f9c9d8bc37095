"""A plain Arnoldi in numpy, and SciPy's eigs, on a matrix in a folder of raw arrays.

  arnoldi_peer.py FOLDER arnoldi STEPS    counts of residuals below 1e-4 and 1e-8
  arnoldi_peer.py FOLDER eigs COUNT       the eigenvalues of greatest modulus

FOLDER holds offsets.u32 and targets.u32 (the sources of each row), factors.f64 (what a node gives
to each row that lists it; 0 for a dangling node), drawn.f64 (the start vector is its product with
the matrix), and facts.json with the number of nodes of the whole graph. Prints JSON with the
processor time of the work, loading apart.
"""
import json
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
import scipy.sparse as sparse  # noqa: E402
from scipy.sparse.linalg import LinearOperator, eigs  # noqa: E402

folder, method, count = sys.argv[1], sys.argv[2], int(sys.argv[3])


def read(name, kind):
    return np.fromfile(os.path.join(folder, name), dtype=kind)


offsets = read("offsets.u32", np.uint32).astype(np.int32)
targets = read("targets.u32", np.uint32).astype(np.int32)
factors = read("factors.f64", np.float64)
drawn = read("drawn.f64", np.float64)
with open(os.path.join(folder, "facts.json")) as file:
    whole = json.load(file)["nodes"]
n = len(factors)
matrix = sparse.csr_matrix((factors[targets], targets, offsets), shape=(n, n))
dangling = (factors == 0).astype(np.float64)


def product(x):
    return matrix @ x + dangling @ x / whole


start = product(drawn)


def arnoldi(steps):
    """Classical Gram-Schmidt twice: each pass is two products with the whole basis."""
    basis = np.empty((steps + 1, n))
    h = np.zeros((steps + 1, steps))
    basis[0] = start / np.linalg.norm(start)
    for j in range(steps):
        w = product(basis[j])
        for _ in range(2):
            along = basis[: j + 1] @ w
            w -= along @ basis[: j + 1]
            h[: j + 1, j] += along
        h[j + 1, j] = np.linalg.norm(w)
        basis[j + 1] = w / h[j + 1, j]
    values, vectors = np.linalg.eig(h[:steps])
    residuals = np.abs(h[steps, steps - 1] * vectors[steps - 1])
    return {
        "below1e-4": int((residuals < 1e-4).sum()),
        "below1e-8": int((residuals < 1e-8).sum()),
    }


def greatest(k):
    operator = LinearOperator((n, n), matvec=lambda x: product(x.ravel()), dtype=np.float64)
    values = eigs(operator, k=k, which="LM", ncv=max(2 * k + 20, 60), tol=1e-13, v0=start,
                  maxiter=5000, return_eigenvectors=False)
    return {"values": sorted([[v.real, v.imag] for v in values], key=lambda v: -np.hypot(*v))}


begun = time.process_time()
found = arnoldi(count) if method == "arnoldi" else greatest(count)
json.dump({**found, "seconds": time.process_time() - begun}, sys.stdout)
