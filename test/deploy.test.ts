/** The files for operators agree with the program: they are read, not run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const files = readdirSync(join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' });

describe('the files for operators', () => {
  test('are YAML and JSON that can be read', () => {
    for (const name of files.filter((each) => each.endsWith('.yaml')))
      for (const document of parseAllDocuments(read(join('deploy', name)), { merge: true }))
        expect(document.errors).toEqual([]);
    expect(JSON.parse(read('deploy/grafana.json')).panels.length).toBeGreaterThan(10);
  });

  test('ask only for metrics that exist', () => {
    const known = read('docs/reference/metrics.md');
    const asked = read('deploy/grafana.json').match(/drumlin_[a-z_]+/g) ?? [];
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('let a worker drain before it is killed, and hold no credentials', () => {
    expect(read('deploy/kubernetes/workers.yaml')).toMatch(/terminationGracePeriodSeconds: 180/);
    expect(read('deploy/drumlin-worker@.service')).toMatch(
      /KillSignal=SIGTERM[\s\S]*TimeoutStopSec=180/,
    );
    expect(read('deploy/compose.yaml')).toMatch(/stop_grace_period: 3m/);
    for (const name of files.filter((each) => /\.\w+$/.test(each)))
      expect(read(join('deploy', name))).not.toMatch(
        /(?:SECRET|PASSWORD|TOKEN)\w*[=:] *["']?[\w/+]{8,}/,
      );
  });

  test('make every write of the brokers durable', () => {
    for (const name of ['deploy/nats.conf', 'deploy/kubernetes/brokers.yaml'])
      expect(read(name)).toMatch(/sync_interval: always/);
  });

  test('name the versions that the project pins', () => {
    const { version, peerDependencies } = JSON.parse(read('package.json'));
    const dockerfile = read('deploy/Dockerfile');
    expect(dockerfile).toContain(`DRUMLIN=${version}`);
    const installed = Object.entries(peerDependencies).filter(([name]) =>
      dockerfile.includes(name),
    );
    expect(installed).toHaveLength(4);
    for (const [name, pinned] of installed) expect(dockerfile).toContain(`${name}@${pinned}`);
  });
});
