import type { Contender, Task } from './contender.ts';
import { behindHost, hostOfKey, loadPeer, storedPath, storedUrl, storeKey } from './store-key.ts';

interface Database {
  transactionSync(work: () => void): void;
  putSync(key: Uint8Array, value: Uint8Array): boolean;
  removeSync(key: Uint8Array): boolean;
  getRange(options: object): Iterable<{ key: Uint8Array; value: Uint8Array }>;
  close(): Promise<void>;
}

const BATCH = 4096;

export async function openLmdb({ folder, perRound }: Task): Promise<Contender> {
  const { open } = await loadPeer<{ open(options: object): Database }>('lmdb');
  const db = open({
    path: folder,
    keyEncoding: 'binary',
    encoding: 'binary',
    noSync: true,
    mapSize: 2 ** 36,
  });
  let waiting: { key: Uint8Array; value: Uint8Array }[] = [];
  const write = () => {
    db.transactionSync(() => {
      for (const { key, value } of waiting) db.putSync(key, value);
    });
    waiting = [];
  };
  let number = 0;
  return {
    add(host, url) {
      waiting.push({ key: storeKey(host, number++), value: storedPath(host, url) });
      if (waiting.length >= BATCH) write();
    },
    async round(out) {
      write();
      let start: Uint8Array | undefined = Buffer.from([1]);
      while (start) {
        const first: Uint8Array = start;
        start = undefined;
        db.transactionSync(() => {
          start = takeSome(db, first, perRound, out);
        });
      }
    },
    close: () => db.close(),
  };
}

/**
 * Continues from a key until enough was taken for one transaction. Returns where to continue, if
 * there is more.
 */
function takeSome(
  db: Database,
  start: Uint8Array,
  perRound: number,
  out: (url: string) => void,
): Uint8Array | undefined {
  let at = start;
  for (let total = 0; total < BATCH; ) {
    const taken: Uint8Array[] = [];
    let host: string | undefined;
    for (const { key, value } of db.getRange({ start: at, limit: perRound })) {
      const next = hostOfKey(key);
      host ??= next;
      if (next !== host) break;
      out(storedUrl(host, value));
      taken.push(Buffer.from(key));
    }
    if (host === undefined) return undefined;
    for (const key of taken) db.removeSync(key);
    total += taken.length;
    at = behindHost(host);
  }
  return at;
}
