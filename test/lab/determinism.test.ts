import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { webOf } from '../../src/lab/server/lab.ts';
import { exp, ln, power } from '../../src/lab/words/random.ts';

const PORTS = { http: 8080, https: 0, dns: 0, control: 0 };

interface Run {
  port: number;
  bytes: number;
  requests: number;
  digest: string;
}

async function run(port: number, seed: number, count: number): Promise<Run> {
  const script = fileURLToPath(new URL('fixtures/digest.ts', import.meta.url));
  const args = ['--import', 'tsx', script, `${port}`, `${seed}`, `${count}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

describe('the web is a function of its seed', () => {
  test('two processes serve the same bytes for 10,000 random URLs', async () => {
    const first = await run(0, 1, 10_000);
    expect(first.requests).toBe(10_000);
    expect(first.bytes).toBeGreaterThan(100_000_000);
    expect(await run(first.port, 1, 10_000)).toEqual(first);
  });

  test('another seed has other names and other pages', () => {
    const [one, other] = [1, 2].map((seed) => webOf({ seed, domains: 50, pages: 5 }, PORTS));
    const names = new Set([...one.allUrls()].map((url) => new URL(url).hostname));
    expect([...other.allUrls()].some((url) => names.has(new URL(url).hostname))).toBe(false);
    expect(one.pageAnswer(one.domains.at(3), 0).body).not.toBe(
      other.pageAnswer(other.domains.at(3), 0).body,
    );
  });

  test('its own exp, ln and power agree with those of the machine to twelve digits', () => {
    for (const x of [-20, -1.5, -1e-3, 0, 0.1, 1, 2.5, 10, 30])
      expect(exp(x) / Math.exp(x)).toBeCloseTo(1, 12);
    for (const x of [1e-9, 0.3, 0.75, 1, 1.5, 2, 1234.5, 1e12])
      expect(ln(x) - Math.log(x)).toBeCloseTo(0, 12);
    expect(power(1000, -0.85) / 1000 ** -0.85).toBeCloseTo(1, 11);
  });
});
