/** What every object store does: run on S3 and on a folder. */
import { expect, test } from 'vitest';
import { isConflict, type ObjectStore } from '../../src/objects/object-store.ts';

const bytes = (text: string) => Buffer.from(text);

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error,
  );

export function objectStoreConformance(open: () => ObjectStore): void {
  let count = 0;
  const named = (name: string) => `${name}-${++count}`;
  /** A part that may be followed by another. */
  const full = (store: ObjectStore, fill: number) => Buffer.alloc(store.leastPart, fill);

  test('returns what was stored, whole or a piece, and nothing for a name without object', async () => {
    const store = open();
    const key = `${named('a')}/with space & <é>+%2F=?#.txt`;
    await store.put(key, bytes('0123456789'));
    expect(await store.get(key)).toEqual(bytes('0123456789'));
    expect(await store.get(key, { from: 3, length: 4 })).toEqual(bytes('3456'));
    expect(await store.get(key, { from: 3, length: 0 })).toEqual(bytes(''));
    expect((await store.look(key))?.bytes).toBe(10);
    expect(await store.get(named('missing'))).toBeUndefined();
    expect(await store.look(named('missing'))).toBeUndefined();
  });

  test('stores an empty object, and replaces one', async () => {
    const store = open();
    const key = named('replaced');
    await store.put(key, bytes(''));
    expect(await store.get(key)).toEqual(bytes(''));
    const tag = await store.put(key, bytes('second'));
    expect(await store.get(key)).toEqual(bytes('second'));
    expect((await store.look(key))?.tag).toBe(tag);
  });

  test('creates an object for one of several callers that ask for its absence', async () => {
    const store = open();
    const key = named('once');
    const callers = ['a', 'b', 'c', 'd', 'e'].map((each) =>
      store.put(key, bytes(each), { ifAbsent: true }).then(() => each),
    );
    const ended = await Promise.allSettled(callers);
    const won = ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(won).toHaveLength(1);
    expect(await store.get(key)).toEqual(bytes(won[0]));
    for (const each of ended)
      if (each.status === 'rejected') expect(isConflict(each.reason)).toBe(true);
  });

  test('replaces an object only if it is the one that was read', async () => {
    const store = open();
    const key = named('matched');
    const first = await store.put(key, bytes('first'));
    const second = await store.put(key, bytes('second'), { ifMatch: first });
    const late = await refusal(store.put(key, bytes('late'), { ifMatch: first }));
    expect(isConflict(late)).toBe(true);
    expect(await store.get(key)).toEqual(bytes('second'));
    await store.put(key, bytes('third'), { ifMatch: second });
    expect(await store.get(key)).toEqual(bytes('third'));
    const absent = await refusal(store.put(named('nothing'), bytes('x'), { ifMatch: first }));
    expect(isConflict(absent)).toBe(true);
  });

  test('lists names by prefix, in order, also more than fit one answer', async () => {
    const store = open();
    const folder = named('list');
    const names = Array.from(
      { length: 12 },
      (_, i) => `${folder}/sub/${String(i).padStart(4, '0')}`,
    );
    await Promise.all([...names, `${folder}x`].map((name) => store.put(name, bytes(name))));
    expect(await keysOf(store, `${folder}/`)).toEqual(names);
    expect(await keysOf(store, `${folder}/sub/000`)).toEqual(names.slice(0, 10));
    expect(await keysOf(store, folder)).toContain(`${folder}x`);
    expect(await keysOf(store, `${folder}/none`)).toEqual([]);
  });

  test('deletes an object, and does not mind a missing one', async () => {
    const store = open();
    const key = named('deleted');
    await store.put(key, bytes('x'));
    await store.delete(key);
    await store.delete(key);
    expect(await store.get(key)).toBeUndefined();
  });

  test('joins the parts that are named, and shows nothing before', async () => {
    const store = open();
    const key = named('parts');
    const upload = await store.begin(key);
    const parts = [
      await store.putPart(key, upload, 1, full(store, 1)),
      await store.putPart(key, upload, 2, full(store, 2)),
    ];
    await store.putPart(key, upload, 3, bytes('not named'));
    const last = await store.putPart(key, upload, 10_000, bytes('the end'));
    expect(await store.get(key)).toBeUndefined();
    await store.complete(key, upload, [...parts, last]);
    const whole = Buffer.concat([full(store, 1), full(store, 2), bytes('the end')]);
    expect((await store.get(key))?.equals(whole)).toBe(true);
  });

  test('completes an upload a second time: an answer may have been lost', async () => {
    const store = open();
    const key = named('twice');
    const upload = await store.begin(key);
    const parts = [await store.putPart(key, upload, 1, bytes('only'))];
    await store.complete(key, upload, parts);
    await store.complete(key, upload, parts);
    expect(await store.get(key)).toEqual(bytes('only'));
  });

  test('forgets an upload that is aborted', async () => {
    const store = open();
    const key = named('aborted');
    const upload = await store.begin(key);
    const part = await store.putPart(key, upload, 1, bytes('x'));
    await store.abort(key, upload);
    await store.abort(key, upload);
    expect(await refusal(store.complete(key, upload, [part]))).toMatchObject({
      code: 'OBJECT_UPLOAD',
    });
    expect(await store.get(key)).toBeUndefined();
  });

  test('refuses names that are no relative paths', async () => {
    for (const key of ['', '/a', 'a//b', '../a', 'a/./b', 'a\nb'])
      expect(await refusal(open().put(key, bytes('x')))).toMatchObject({ code: 'OBJECT_NAME' });
  });
}
