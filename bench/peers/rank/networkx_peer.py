"""PageRank by networkx: networkx_peer.py <arcs file> <nodes> <few iterations> <many iterations>

The file holds u32 pairs. networkx raises if it does not converge, and with a tolerance of 0 it
never does. Without scipy the pure Python form is measured.
"""

import array
import json
import resource
import sys
import time

import networkx

try:
    import scipy  # noqa: F401

    form = "scipy"
    pagerank = networkx.pagerank
except ImportError:
    from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python as pagerank

    form = "pure Python"

path, nodes, few, many = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
pairs = array.array("I")
with open(path, "rb") as file:
    pairs.frombytes(file.read())
graph = networkx.DiGraph()
graph.add_nodes_from(range(nodes))
graph.add_edges_from(zip(pairs[0::2], pairs[1::2]))


def cpu_seconds(iterations):
    start = time.process_time()
    try:
        pagerank(graph, alpha=0.85, max_iter=iterations, tol=0)
    except networkx.PowerIterationFailedConvergence:
        pass
    return time.process_time() - start


memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"few": cpu_seconds(few), "many": cpu_seconds(many), "maxRssBytes": memory, "form": form}))
