/** Memory against links discovered, the plot of docs/performance.md. */
import { plot } from '../lab/plot.ts';

/** Our target for two agents, in MB. */
const AIM = 768;

export function memoryPlot(points: readonly (readonly [found: number, bytes: number])[]): string {
  const millions = points.map(([found, bytes]): [number, number] => [found / 1e6, bytes / 1e6]);
  const most = 10 * Math.ceil(Math.max(...millions.map(([found]) => found)) / 10);
  return plot(
    'Memory of a crawl of a million hosts, two agents',
    { label: 'million links discovered', min: 0, max: most },
    { label: 'resident memory, MB', min: 0, max: 1000 },
    [
      { label: 'memory', points: millions, draw: 'line' },
      {
        label: 'our target',
        points: [
          [0, AIM],
          [most, AIM],
        ],
        draw: 'dashes',
      },
    ],
  );
}
