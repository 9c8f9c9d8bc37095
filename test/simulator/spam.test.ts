/** Verdicts on spam in virtual time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveConfig } from '../../src/config/settings.ts';
import { webOf } from '../../src/lab/server/lab.ts';
import { runLab } from '../../src/simulator/run.ts';
import { LiveModel } from '../../src/spam/live/live-model.ts';
import { tinyModel } from '../spam/live/tiny-model.ts';

const web = webOf(
  { scenario: 'spam', seed: 3, domains: 120, pages: 20 },
  { http: 8080, https: 8443, dns: 0, control: 0 },
);

async function run(policies: readonly string[], spamModel?: LiveModel) {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-virtual-'));
  try {
    const config = resolveConfig({ spam: 'model.json' });
    const results = await runLab({ web, policies, pages: 250, config, spamModel, folder });
    return results.map(({ samples, kinds }) => ({ last: samples.at(-1), kinds }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('verdicts change what a virtual crawl fetches, the same way in every run', async () => {
  const model = () => new LiveModel(tinyModel(1), 'model.json');
  const [alone, judged] = await run(['tse', 'tse+spam'], model());
  const [again] = await run(['tse+spam'], model());
  expect(judged.kinds).toEqual(again.kinds);
  expect(judged.kinds).not.toEqual(alone.kinds);
});

test('a policy with verdicts needs a model', async () => {
  await expect(run(['tse+spam'])).rejects.toThrow('Name one with --spam');
});
