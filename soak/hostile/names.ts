/**
 * The name server of the hostile web: it answers for good sites as it should, and for all others by
 * a grammar of answers.
 *
 * Idea      A name of the hostile web gets its proper answer, mostly, and now and then any answer
 *           of the grammar: truncated, with a wrong id, with loops of CNAMEs or of pointers, huge,
 *           without addresses. Names that begin with `liar` get nothing else.
 * Ensures   no answer leads out of this machine: every address is on loopback, or one that the
 *           crawler refuses. Answers that resolve to others are left out beforehand.
 */
import fc from 'fast-check';
import type { Resolution } from '../../src/lab/server/dns-server.ts';
import { createAddressGuard } from '../../src/net/address-guard.ts';
import { createResolver } from '../../src/net/dns.ts';
import {
  PLAIN,
  record,
  TYPE,
  type WireAnswer,
  type WireServer,
  wireAnswer,
  wireServer,
} from '../../test/net/answer-grammar.ts';

const ANSWERS = 600;
/** One answer of this many for a hostile name is one of the grammar. */
const ONE_IN = 4;

/** How a name is to be answered: by its web, or by the grammar. */
export type Names = (name: string) => { readonly good: boolean; readonly resolution: Resolution };

export async function startNames(names: Names, seed: number): Promise<WireServer> {
  const answers = await harmless(fc.sample(wireAnswer, { numRuns: ANSWERS, seed }).map(onLoopback));
  let asked = 0;
  return wireServer((name, type) => {
    asked++;
    const lies = name.startsWith('liar');
    const any = answers[asked % answers.length];
    if (lies) return any;
    const { good, resolution } = names(name);
    if (!good && asked % ONE_IN === 0) return any;
    return proper(resolution, type);
  });
}

function proper({ rcode, address, delay = 0 }: Resolution, type: number): WireAnswer {
  if (rcode === 'silent') return { ...PLAIN, sends: 'nothing' };
  const ip = address?.split('.').map(Number) ?? [];
  const records = address !== undefined && type === TYPE.a ? [record(undefined, TYPE.a, ip)] : [];
  return { ...PLAIN, code: rcode, records, delay };
}

/** The same answer, with all its IPv4 addresses in 127.0.0.0/8 and those of IPv6 unique local. */
export function onLoopback(answer: WireAnswer): WireAnswer {
  const local = (each: WireAnswer['records'][number]) => {
    if (!(each.data instanceof Uint8Array)) return each;
    const data = Uint8Array.from(each.data);
    data[0] = data.length === 16 ? 0xfd : 127;
    return { ...each, data };
  };
  return { ...answer, records: answer.records.map(local), authority: answer.authority.map(local) };
}

/** Those answers that lead nowhere else, as our resolver reads them. */
export async function harmless(answers: readonly WireAnswer[]): Promise<WireAnswer[]> {
  const server = await wireServer((name) => answers[Number(/\d+/.exec(name)?.[0])] ?? PLAIN);
  const resolver = createResolver({ servers: [server.address], timeout: 200, tries: 1 });
  // Without exceptions the guard refuses every address of this machine and its network.
  const guard = createAddressGuard();
  const stays = (ip: string) => !guard.allows(ip);
  const checked = await Promise.all(
    answers.map(async (answer, i) => {
      const found = await resolver.resolve(`n${i}.test`).catch(() => []);
      return found.every(({ ip }) => stays(ip)) ? [answer] : [];
    }),
  );
  resolver.close();
  await server.close();
  return checked.flat();
}
