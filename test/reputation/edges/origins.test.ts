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
        const text = links.join('');
        let start = 0;
        for (const url of links) {
          const known = `found ${hostOf(url)}`;
          expect(origins.at(text, start)).toEqual({ name: originOf(url), known });
          start += url.length;
        }
      }),
    );
  });

  test('are looked up once while they are remembered, and again after they were forgotten', () => {
    const asked: string[] = [];
    const origins = new Origins((name) => asked.push(name));
    const names = Array.from({ length: 200 }, (_, i) => `${i}.example`);
    const meetAll = () => names.map((name) => origins.at(`https://${name}/`, 0).known);
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
    for (let i = 0; i < 100; i++) expect(origins.at(`http://${i}.example/`, 0).known).toBe(i);
    expect(origins.at('http://99.example/other', 0).known).toBe(99);
    expect(origins.at('http://2.example/', 0).known).toBe(100);
  });

  test('are right even if there are more than there is room for', () => {
    const origins = new Origins((name) => name);
    for (let i = 0; i < 300_000; i += 1) {
      const name = `${(i * 7919) % 150_000}.example`;
      if (origins.at(`http://${name}/`, 0).known !== name) expect.fail(name);
    }
  });
});
