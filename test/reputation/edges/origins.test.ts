import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Origins } from '../../../src/reputation/edges/origins.ts';
import { hostOf, originOf } from '../../../src/url/parts.ts';

const host = fc.nat(20).map((i) => `h${i}.example`);
const link = fc
  .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('', ':8080'), fc.nat(3))
  .map(([scheme, name, port, page]) => `${scheme}://${name}${port}/${page}`);

describe('origins', () => {
  test('are those of the links, with what `find` gave for their hosts', () => {
    fc.assert(
      fc.property(fc.array(link, { size: 'max', maxLength: 200 }), (links) => {
        const origins = new Origins((name) => `found ${name}`);
        for (const url of links)
          expect(origins.of(url)).toEqual({ name: originOf(url), known: `found ${hostOf(url)}` });
      }),
    );
  });

  test('are looked up once while they are remembered, and again after they were forgotten', () => {
    const asked: string[] = [];
    const origins = new Origins((name) => asked.push(name));
    const names = Array.from({ length: 200 }, (_, i) => `${i}.example`);
    const meetAll = () => names.map((name) => origins.of(`https://${name}/`).known);
    const found = meetAll();
    expect(asked).toEqual(names);
    expect(meetAll()).toEqual(found);
    expect(asked.length).toBe(names.length);
    origins.forget();
    meetAll();
    expect(asked).toEqual([...names, ...names]);
  });

  test('may be forgotten by the function that looks one up', () => {
    let asked = 0;
    const origins = new Origins<number>(() => {
      if (asked % 3 === 0) origins.forget();
      return asked++;
    });
    for (let i = 0; i < 100; i++) expect(origins.of(`http://${i}.example/`).known).toBe(i);
    expect(origins.of('http://99.example/other').known).toBe(99);
    expect(origins.of('http://2.example/').known).toBe(100);
  });

  test('are right even if there are more than there is room for', () => {
    const origins = new Origins((name) => name);
    for (let i = 0; i < 300_000; i += 1) {
      const name = `${(i * 7919) % 150_000}.example`;
      if (origins.of(`http://${name}/`).known !== name) expect.fail(name);
    }
  });
});
