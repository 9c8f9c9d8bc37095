/**
 * Random rankings with gains, the same in every process: `npx tsx test/search/eval-runs.ts |
 * python3 bench/peers/search/pytrec_peer.py > test/search/pytrec.json` records what pytrec_eval
 * makes of them.
 */

interface JudgedRun {
  readonly ranking: readonly string[];
  readonly gains: Readonly<Record<string, number>>;
}

export function judgedRuns(count: number): JudgedRun[] {
  let state = 12345;
  const below = (most: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % most;
  };
  return Array.from({ length: count }, () => {
    const documents = Array.from({ length: 2 + below(60) }, (_, i) => `d${i}`);
    const shuffled = documents.map((name) => [below(1e6), name] as const).sort();
    const ranking = shuffled.map(([, name]) => name).slice(0, 1 + below(documents.length));
    const judged = documents.filter((_, i) => i === 0 || below(3) === 0);
    const gains = judged.map((name) => [name, Math.max(0, below(6) - 2)] as const);
    return { ranking, gains: Object.fromEntries(gains) };
  });
}

if (process.argv[1]?.endsWith('eval-runs.ts'))
  process.stdout.write(JSON.stringify(judgedRuns(200)));
