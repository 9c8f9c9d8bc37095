"""Scores of scikit-learn's learners on folds given as JSON on standard input: { x, y, folds }."""
import json
import sys

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC

given = json.load(sys.stdin)
x, y, folds = (np.array(given[name]) for name in ("x", "y", "folds"))
LEARNERS = {
    "forest-1": lambda: RandomForestClassifier(250, random_state=1),
    "logistic-1": lambda: make_pipeline(StandardScaler(), LogisticRegression(C=0.5, max_iter=5000)),
    "bayes-normal": GaussianNB,
    "svm-1": lambda: make_pipeline(Normalizer(), LinearSVC(C=1)),
}


def score(model, rows):
    if hasattr(model, "predict_proba"):
        return model.predict_proba(rows)[:, 1]
    return model.decision_function(rows)


scores = {}
for name, make in LEARNERS.items():
    out = np.zeros(len(y))
    for fold in range(folds.max() + 1):
        here = folds == fold
        out[here] = score(make().fit(x[~here], y[~here]), x[here])
    scores[name] = out.tolist()
json.dump(scores, sys.stdout)
