"""NDCG@15, recall@15 and reciprocal rank of rankings, by pytrec_eval.

Reads a list of {"ranking": [...], "gains": {...}} and prints a list of three numbers for each.
"""
import json
import sys

import pytrec_eval

runs = json.load(sys.stdin)
gains = {str(i): run["gains"] for i, run in enumerate(runs)}
scores = {
    str(i): {name: float(-rank) for rank, name in enumerate(run["ranking"])}
    for i, run in enumerate(runs)
}
measures = ("ndcg_cut_15", "recall_15", "recip_rank")
evaluator = pytrec_eval.RelevanceEvaluator(gains, {"ndcg_cut.15", "recall.15", "recip_rank"})
results = evaluator.evaluate(scores)
json.dump([[results[str(i)][name] for name in measures] for i in range(len(runs))], sys.stdout)
