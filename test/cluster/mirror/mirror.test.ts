/** Checkpoints in the object store: any history of an agent, with a store that fails. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { archiveDir } from '../../../src/archive/index/index-merge.ts';
import { AgentMirror } from '../../../src/cluster/mirror/agent-mirror.ts';
import { archiveKey, readManifest } from '../../../src/cluster/mirror/manifest.ts';
import { restoreAgent } from '../../../src/cluster/mirror/restore.ts';
import { Disk } from '../../../src/disk/disk.ts';
import { FolderStore } from '../../../src/objects/folder-store.ts';
import { FaultyFileSystem } from '../../disk/faulty-file-system.ts';
import { temporaryFolder } from '../../disk/temporary-folder.ts';
import { witnessedDisk } from '../../disk/witness-file-system.ts';
import { FaultyStore } from './faulty-store.ts';
import { AGENT, coveredIn, SmallAgent } from './small-agent.ts';

const LIMITS = { pieceBytes: 4096, partBytes: 700, mostPacks: 5 };
/** A longer run was made with 40. */
const RUNS = Number(process.env.DRUMLIN_MIRROR_RUNS ?? 5);
const { disk, witness } = witnessedDisk();
const quickDisk = () => new Disk(new FaultyFileSystem({ skipSync: true }));

/** What a committed manifest must bring back. */
interface Committed {
  readonly manifest: string;
  readonly covered: Map<string, string>;
  readonly archived: Map<string, string>;
}

type Step =
  | { readonly do: 'discover' | 'fetch'; readonly n: number }
  | { readonly do: 'merge' | 'checkpoint' | 'restart' | 'takeover' }
  | {
      readonly do: 'upload';
      /** The request of the store that fails, if it comes to it. */
      readonly fault: number;
      readonly kind: 'before' | 'after';
      /** URLs discovered, and a checkpoint made, while it is sent. */
      readonly meanwhile: number;
      readonly commits: boolean;
    };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('discover' as const),
      n: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fetch' as const),
      n: fc.integer({ min: 1, max: 1500 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'merge' as const }) },
  { weight: 4, arbitrary: fc.constant({ do: 'checkpoint' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('upload' as const),
      fault: fc.integer({ min: 0, max: 12 }),
      kind: fc.constantFrom('before' as const, 'after' as const),
      meanwhile: fc.integer({ min: 0, max: 20 }),
      commits: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'takeover' as const }) },
);

/** An upload without a fault. */
const WHOLE = { do: 'upload', fault: 0, kind: 'before', meanwhile: 0, commits: true } as const;

/** One agent through its owners, and the store; the root is a new folder. */
class History {
  limits = LIMITS;
  readonly store: FaultyStore;
  readonly root: string;
  agent!: SmallAgent;
  mirror!: AgentMirror;
  epoch = 0;
  committed: Committed | undefined;
  /** WARC files that the commit before the last run named: they must be in the archive. */
  readonly must = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
    this.store = new FaultyStore(new FolderStore(join(root, 'objects'), { disk: quickDisk() }));
  }

  get dir(): string {
    return join(this.root, `epoch-${this.epoch}`);
  }

  async begin(dir: string): Promise<void> {
    this.agent = await SmallAgent.open(dir, this.epoch);
    const { disk } = this.agent;
    const before = this.committed?.manifest ?? '';
    const place = { store: this.store, disk, dir, agent: AGENT, epoch: this.epoch, before };
    this.mirror = await AgentMirror.open({ ...place, ...this.limits });
  }

  async apply(step: Step): Promise<void> {
    const { agent } = this;
    if (step.do === 'discover') await agent.discover(step.n);
    if (step.do === 'fetch') await agent.fetch(step.n);
    if (step.do === 'merge') await agent.merge();
    if (step.do === 'checkpoint') await agent.checkpoint();
    if (step.do === 'upload') await this.upload(step);
    if (step.do === 'restart') {
      await agent.kill();
      await this.begin(agent.dir);
    }
    if (step.do === 'takeover') await this.takeOver();
  }

  async upload(step: Extract<Step, { do: 'upload' }>): Promise<void> {
    const { agent, mirror, store } = this;
    await agent.checkpoint();
    const staged = await mirror.stage();
    const [covered, archived] = [await agent.covered(), await agent.archived()];
    await agent.discover(step.meanwhile);
    if (step.meanwhile % 2 === 1) await agent.checkpoint();
    let requests = 0;
    store.fault = () => (++requests === step.fault ? step.kind : 'none');
    const manifest = await staged.send().catch(() => undefined);
    if (manifest !== undefined && step.commits) {
      this.committed = { manifest, covered, archived };
      await mirror.committed(manifest).catch(() => {});
    }
    store.fault = () => 'none';
  }

  /** Another machine takes the agent over, with nothing but the store. */
  async takeOver(): Promise<void> {
    await this.agent.kill();
    this.epoch++;
    const { committed } = this;
    if (committed) {
      await restoreAgent(this.store, disk, this.dir, committed.manifest);
      expect(witness.undurable(this.dir)).toEqual([]);
      expect(await coveredIn(quickDisk(), this.dir)).toEqual(committed.covered);
      for (const [file, bytes] of committed.archived) this.must.set(file, bytes);
    }
    await this.begin(this.dir);
    for (const [file, bytes] of this.must)
      expect((await this.store.get(archiveKey(file)))?.toString('latin1') === bytes).toBe(true);
  }
}

describe('a checkpoint in the object store', () => {
  test('restores the folder as it was, whatever happened before and whenever the store failed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
        const root = mkdtempSync(join(tmpdir(), 'drumlin-mirror-'));
        const history = new History(root);
        try {
          await history.begin(history.dir);
          for (const each of steps) await history.apply(each);
          await history.takeOver();
          await history.agent.kill();
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('has what was written below the length of the checkpoint before', async () => {
    const history = new History(temporaryFolder());
    await history.begin(history.dir);
    for (let i = 0; i < 4; i++) {
      await history.agent.discover(5);
      await history.upload(WHOLE);
    }
    // All four wrote into the same rooms: the length of the file of offers is the same.
    const lengths = [...(history.committed as Committed).covered]
      .filter(([path]) => path.includes('seen/offers'))
      .map(([, bytes]) => bytes.length);
    expect(lengths).toHaveLength(1);
    await history.takeOver();
    await history.agent.kill();
  });

  test('costs few objects, however many checkpoints there were', async () => {
    const history = new History(temporaryFolder());
    await history.begin(history.dir);
    for (let i = 0; i < 9; i++) {
      await history.agent.discover(3);
      await history.agent.fetch(900);
      await history.upload(WHOLE);
    }
    const names: string[] = [];
    for await (const { key } of history.store.list('agents/')) names.push(key);
    expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(2);
    expect(names.filter((name) => name.endsWith('.pack')).length).toBeLessThan(
      2 * LIMITS.mostPacks,
    );
    await history.agent.kill();
  });

  test('puts a WARC file into the archive whole, where an upload that broke off left a part', async () => {
    const history = new History(temporaryFolder());
    history.limits = { ...LIMITS, partBytes: 2 ** 20 }; // the file is one object
    await history.begin(history.dir);
    await history.agent.fetch(20);
    await history.upload(WHOLE);
    const [[file, bytes]] = (history.committed as Committed).archived;
    await history.store.put(archiveKey(file), Buffer.from(bytes.slice(0, 9), 'latin1'));
    await history.agent.kill();
    history.epoch++;
    await restoreAgent(history.store, quickDisk(), history.dir, history.committed!.manifest);
    await history.begin(history.dir);
    const inArchive = (await history.store.get(archiveKey(file)))?.toString('latin1');
    expect(inArchive === bytes).toBe(true);
    await history.agent.kill();
  });

  test.each([
    ['more of it is sent', 900],
    ['it is completed', 0],
  ])('makes an upload again that the store dropped before %s', async (_, more) => {
    const history = new History(temporaryFolder());
    await history.begin(history.dir);
    await history.agent.fetch(1800);
    await history.upload(WHOLE);
    const { archive } = await readManifest(history.store, history.committed!.manifest);
    const uploads = archive.flatMap(({ file, upload }) => (upload ? [{ file, upload }] : []));
    expect(uploads.length).toBeGreaterThan(0);
    for (const { file, upload } of uploads) await history.store.abort(archiveKey(file), upload);
    if (more > 0) await history.agent.fetch(more);
    await history.agent.checkpoint();
    const manifest = await (await history.mirror.stage(true)).send();
    await history.mirror.committed(manifest);
    for (const { file } of uploads) {
      const inArchive = (await history.store.get(archiveKey(file)))?.toString('latin1');
      const path = join(archiveDir(history.dir), file);
      expect(inArchive === readFileSync(path, 'latin1'), file).toBe(true);
    }
    await history.agent.kill();
  });

  test('ends the WARC file of a stopped owner at the committed length, whatever that owner still sends', async () => {
    const history = new History(temporaryFolder());
    await history.begin(history.dir);
    await history.agent.fetch(1800);
    await history.upload(WHOLE);
    const { archived } = history.committed as Committed;
    const [[file, bytes]] = archived;
    const [stopped, zombie] = [history.agent, history.mirror];
    await stopped.fetch(1200);
    await stopped.checkpoint();
    const late = await zombie.stage();
    // Another machine takes over; then the stopped owner wakes up, and sends its parts.
    history.epoch++;
    await restoreAgent(history.store, quickDisk(), history.dir, history.committed!.manifest);
    await history.begin(history.dir);
    const inArchive = async () => (await history.store.get(archiveKey(file)))?.toString('latin1');
    expect((await inArchive()) === bytes).toBe(true);
    await late.send().catch(() => {});
    expect((await inArchive()) === bytes).toBe(true);
    expect(await coveredIn(quickDisk(), history.dir)).toEqual(history.committed?.covered);
    await Promise.all([stopped.kill(), history.agent.kill()]);
  });
});
