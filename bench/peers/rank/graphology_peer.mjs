// PageRank by graphology:
// node graphology_peer.mjs <arcs file> <nodes> <few iterations> <many iterations>
// The file holds u32 pairs. graphology throws if it does not converge, and with a tolerance of 0 it
// never does: so it does exactly as many iterations as asked for.
import { readFileSync } from 'node:fs';
import graphology from 'graphology';
import pagerank from 'graphology-metrics/centrality/pagerank.js';

const [file, nodes, few, many] = process.argv.slice(2);
const bytes = readFileSync(file);
const pairs = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
const graph = new graphology.DirectedGraph();
for (let node = 0; node < Number(nodes); node++) graph.addNode(node);
for (let i = 0; i < pairs.length; i += 2) graph.mergeDirectedEdge(pairs[i], pairs[i + 1]);

function cpuSeconds(maxIterations) {
  const start = process.cpuUsage();
  try {
    pagerank(graph, { alpha: 0.85, maxIterations, tolerance: 0, getEdgeWeight: null });
  } catch (error) {
    if (!/failed to converge/.test(error.message)) throw error;
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

cpuSeconds(1);
const best = (iterations) => Math.min(cpuSeconds(iterations), cpuSeconds(iterations));
const { maxRSS } = process.resourceUsage();
console.log(
  JSON.stringify({ few: best(Number(few)), many: best(Number(many)), maxRssBytes: maxRSS * 1024 }),
);
