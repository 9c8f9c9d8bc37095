/** An agent whose object store fails for a while. */
import { describe, expect, test } from 'vitest';
import { DrumlinError } from '../../../src/base/errors.ts';
import { type Commit, LeaseLost } from '../../../src/cluster/lease/agent-lease.ts';
import { commitInOrder, whileStoreFails } from '../../../src/cluster/worker/store-patience.ts';

const COMMIT: Commit = { checkpoint: 'c', received: [1], pages: 2, bytes: 3 };

/** A lease that notes what is done with it, and a store that fails at first. */
class Scene {
  readonly steps: string[] = [];
  lost = false;
  isUnwanted = false;
  failures = 2;
  readonly parts = {
    lease: {
      agent: 0,
      isLost: () => this.lost,
      get lost() {
        return this.isLost();
      },
      release: async () => {
        this.steps.push('released');
        this.lost = true;
      },
      commit: async ({ done }: Commit) => {
        this.steps.push(done === undefined ? 'committed' : `done with ${done}`);
      },
    },
    log: { event: (name: string) => void this.steps.push(name) },
    isUnwanted: () => this.isUnwanted,
    again: 0,
  };

  readonly tidyUp = async (): Promise<void> => {
    if (this.failures-- > 0) throw new Error('the store failed');
    this.steps.push('tidied up');
  };

  commit(done: number | undefined): Promise<void> {
    const { tidyUp } = this;
    return commitInOrder(this.parts, { commit: COMMIT, onCommitted: () => {}, tidyUp, done });
  }
}

describe('a commit', () => {
  test('says that the agent is done only when its files are in the archive', async () => {
    const scene = new Scene();
    await scene.commit(7);
    expect(scene.steps).toEqual([
      ...['committed', 'upload-failed', 'upload-failed', 'tidied up', 'done with 7'],
    ]);
  });

  test('that is not the last leaves the tidying up to the next', async () => {
    const scene = new Scene();
    await scene.commit(undefined);
    expect(scene.steps).toEqual(['committed', 'upload-failed']);
  });

  test('of an agent whose lease is lost meanwhile says nothing', async () => {
    const scene = new Scene();
    scene.failures = Infinity;
    const committing = scene.commit(7);
    scene.lost = true;
    await expect(committing).rejects.toBeInstanceOf(LeaseLost);
    expect(scene.steps).toEqual(['committed', 'upload-failed']);
  });
});

describe('the start of an agent', () => {
  test('that is wanted elsewhere, while the store fails, is given up', async () => {
    const scene = new Scene();
    scene.isUnwanted = true;
    await expect(whileStoreFails(scene.parts, scene.tidyUp)).rejects.toBeInstanceOf(LeaseLost);
    expect(scene.steps).toEqual(['upload-failed', 'released']);
  });

  test('ends with an error that does not pass', async () => {
    const scene = new Scene();
    const full = new DrumlinError('DISK_FULL', 'The disk is full.', 'Make room.');
    await expect(whileStoreFails(scene.parts, () => Promise.reject(full))).rejects.toBe(full);
    expect(scene.steps).toEqual([]);
  });
});
