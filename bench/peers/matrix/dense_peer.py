"""All eigenvalues of a dense matrix with their condition numbers, by LAPACK: [[re, im, condition]].

  dense_peer.py matrix.f64    n rows of n numbers
"""
import json
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np  # noqa: E402
from scipy.linalg import eig  # noqa: E402

matrix = np.fromfile(sys.argv[1], dtype=np.float64)
n = int(round(len(matrix) ** 0.5))
values, left, right = eig(matrix.reshape(n, n), left=True, right=True)
inner = np.abs(np.sum(left.conj() * right, axis=0))
conditions = 1 / np.maximum(inner, 1e-300)
json.dump([[v.real, v.imag, c] for v, c in zip(values, conditions)], sys.stdout)
