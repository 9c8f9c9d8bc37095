/** Memory against links found, as docs/performance.md shows it. */
import { plot } from '../lab/plot.ts';

/** We aim at less, for two agents. */
const AIM = 768;

export function memoryPlot(points: readonly (readonly [found: number, bytes: number])[]): string {
  const millions = points.map(([found, bytes]): [number, number] => [found / 1e6, bytes / 1e6]);
  const most = 10 * Math.ceil(Math.max(...millions.map(([found]) => found)) / 10);
  return plot(
    'Memory of a crawl of a million hosts, two agents',
    { label: 'million links found', min: 0, max: most },
    { label: 'resident memory, MB', min: 0, max: 1000 },
    [
      { label: 'memory', points: millions, draw: 'line' },
      {
        label: 'what we aim at',
        points: [
          [0, AIM],
          [most, AIM],
        ],
        draw: 'dashes',
      },
    ],
  );
}
