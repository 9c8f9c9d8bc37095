import type { Contender, Task } from './contender.ts';
import { behindHost, hostOfKey, loadPeer, storedPath, storedUrl, storeKey } from './store-key.ts';

type Operation =
  | { type: 'put'; key: Uint8Array; value: Uint8Array }
  | { type: 'del'; key: Uint8Array };

interface Cursor {
  nextv(size: number): Promise<[Uint8Array, Uint8Array][]>;
  seek(key: Uint8Array): void;
  close(): Promise<void>;
}

interface Database {
  open(): Promise<void>;
  batch(operations: Operation[]): Promise<void>;
  iterator(options: object): Cursor;
  close(): Promise<void>;
}

const BATCH = 4096;

export async function openLevel({ folder, memory, perRound }: Task): Promise<Contender> {
  const { ClassicLevel } = await loadPeer<{
    ClassicLevel: new (folder: string, options: object) => Database;
  }>('classic-level');
  const db = new ClassicLevel(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    cacheSize: memory / 2,
    writeBufferSize: memory / 2,
  });
  await db.open();
  let operations: Operation[] = [];
  const write = async () => {
    const batch = operations;
    operations = [];
    if (batch.length > 0) await db.batch(batch);
  };
  let number = 0;
  return {
    add(host, url) {
      operations.push({ type: 'put', key: storeKey(host, number++), value: storedPath(host, url) });
      if (operations.length >= BATCH) return write();
    },
    async round(out) {
      await write();
      const cursor = db.iterator({ fillCache: false, highWaterMarkBytes: 2 ** 16 });
      let host = '';
      let taken = 0;
      for (let piece = await cursor.nextv(64); piece.length > 0; piece = await cursor.nextv(64)) {
        for (const [key, value] of piece) {
          const next = hostOfKey(key);
          if (next !== host) [host, taken] = [next, 0];
          if (taken++ < perRound) {
            out(storedUrl(host, value));
            operations.push({ type: 'del', key });
          }
        }
        if (taken > perRound) cursor.seek(behindHost(host));
        if (operations.length >= BATCH) await write();
      }
      await cursor.close();
      await write();
    },
    close: () => db.close(),
  };
}
