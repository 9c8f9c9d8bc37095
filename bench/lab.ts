/**
 * `npm run bench -- lab [plots] [kinds] [speed]`: the shape of the synthetic web beside the papers'
 * figures, as plots in docs/lab/, and how fast it is served to a fast client in another process.
 *
 *   plots [--domains 100000]
 *   speed [--requests 100000] [--connections 8] [--depth 16] [--burst 10]
 */
import { parseArgs } from 'node:util';

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      domains: { type: 'string', default: '100000' },
      requests: { type: 'string', default: '100000' },
      connections: { type: 'string', default: '8' },
      depth: { type: 'string', default: '16' },
      burst: { type: 'string', default: '10' },
    },
  });
  const wanted = positionals.length > 0 ? positionals : ['plots', 'speed'];
  if (wanted.includes('plots')) {
    const { writePlots } = await import('./lab/distributions.ts');
    writePlots(Number(values.domains));
  }
  if (wanted.includes('kinds')) {
    const { kinds } = await import('./lab/distributions.ts');
    kinds();
  }
  if (wanted.includes('speed')) {
    const { measureSpeed } = await import('./lab/speed.ts');
    await measureSpeed(Number(values.requests), {
      connections: Number(values.connections),
      depth: Number(values.depth),
      burst: Number(values.burst),
    });
  }
}
