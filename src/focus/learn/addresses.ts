/**
 * The middle steps of learning: which URLs lead to documents, and which are referred to.
 *
 * Lines are `key a time address` (the URL leads to a document) and `key c digest` (a useful
 * document names the URL).
 */
import type { LineSorter } from '../../disk/line-sort.ts';
import { RecordPass } from '../book/record-pass.ts';
import { addressIn, addressText } from '../book/values.ts';
import type { Learning } from './learning.ts';

/** How many redirects a link may lead through. */
const HOPS = 10;

/**
 * Adds the URLs that redirect to documents to `all`.
 *
 * Idea      A redirect to a known address makes its own URL an address. Redirects to these follow
 *           in the next round, until a round finds none.
 */
export async function resolveRedirects(
  learning: Learning,
  redirects: LineSorter,
  fresh: LineSorter,
  all: LineSorter,
  scratch: string,
): Promise<void> {
  let rest = redirects;
  let found = fresh;
  for (let hop = 0; hop < HOPS; hop++) {
    const path = `${scratch}-${hop}`;
    await writeNewest(learning, found, path);
    const next = { rest: learning.sorter('redirects'), found: learning.sorter('fresh') };
    const passes = [await RecordPass.open(learning.disk, path)];
    const { book } = learning.folder;
    if (hop === 0 && book) passes.push(await book.look('addresses'));
    try {
      const resolved = await resolveOnce(rest, passes, next, all);
      if (resolved === 0) return;
    } finally {
      for (const pass of passes) await pass.abandon();
    }
    ({ rest, found } = next);
  }
}

async function resolveOnce(
  redirects: LineSorter,
  passes: readonly RecordPass[],
  next: { readonly rest: LineSorter; readonly found: LineSorter },
  all: LineSorter,
): Promise<number> {
  let resolved = 0;
  for await (const lines of redirects.sorted()) {
    for (const line of lines) {
      const [to, from, time] = line.split('\t');
      let value: string | undefined;
      for (const pass of passes) if (await pass.seek(to)) value ??= pass.value;
      if (value === undefined) {
        await next.rest.add(line);
        continue;
      }
      if (from === to) continue;
      const address = addressText({ ...addressIn(value), last: Number(time) });
      const added = `${from}\ta\t${time}\t${address}`;
      await next.found.add(added);
      await all.add(added);
      resolved++;
    }
  }
  return resolved;
}

/** Writes the newest address of each URL. */
async function writeNewest({ disk }: Learning, lines: LineSorter, path: string): Promise<void> {
  const pass = await RecordPass.open(disk, undefined, path);
  try {
    let key = '';
    let value = '';
    for await (const batch of lines.sorted()) {
      for (const line of batch) {
        const [each, , , ...address] = line.split('\t');
        if (each !== key && key !== '') {
          await pass.seek(key);
          await pass.put(value);
        }
        key = each;
        value = address.join('\t');
      }
    }
    if (key !== '') {
      await pass.seek(key);
      await pass.put(value);
    }
    await pass.finish();
  } catch (error) {
    await pass.abandon();
    throw error;
  }
}

/** Merges addresses and references, and counts the references to the documents of each domain. */
export async function mergeAddresses(learning: Learning, all: LineSorter): Promise<void> {
  const addresses = await learning.folder.rewrite('addresses');
  const references = await learning.folder.rewrite('references');
  try {
    const group = new UrlGroup(learning, addresses, references);
    for await (const lines of all.sorted()) for (const line of lines) await group.add(line);
    await group.end();
    learning.written.addresses = await addresses.finish();
    learning.written.references = await references.finish();
  } catch (error) {
    await addresses.abandon();
    await references.abandon();
    throw error;
  }
}

/** The lines of one URL after the other. */
class UrlGroup {
  readonly #learning: Learning;
  readonly #addresses: RecordPass;
  readonly #references: RecordPass;
  #key = '';
  /** The newest address among the lines. */
  #address: string | undefined;
  #cited = 0;

  constructor(learning: Learning, addresses: RecordPass, references: RecordPass) {
    this.#learning = learning;
    this.#addresses = addresses;
    this.#references = references;
  }

  async add(line: string): Promise<void> {
    const tab = line.indexOf('\t');
    const key = line.slice(0, tab);
    if (key !== this.#key) {
      await this.end();
      this.#key = key;
    }
    if (line[tab + 1] === 'c') this.#cited++;
    else this.#address = line.slice(line.indexOf('\t', tab + 3) + 1);
  }

  async end(): Promise<void> {
    const key = this.#key;
    if (key === '') return;
    const { domains } = this.#learning;
    const before = (await this.#addresses.seek(key)) ? addressIn(this.#addresses.value) : undefined;
    const cited = (await this.#references.seek(key)) ? Number(this.#references.value) : 0;
    const found = this.#address === undefined ? undefined : addressIn(this.#address);
    const after = found && before && before.last > found.last ? before : (found ?? before);
    if (found && after) await this.#addresses.put(addressText(after));
    const total = cited + this.#cited;
    if (this.#cited > 0) await this.#references.put(String(total));
    if (before && cited > 0) await domains.add(before.domain, { references: -cited });
    if (after && total > 0) await domains.add(after.domain, { references: total });
    this.#address = undefined;
    this.#cited = 0;
  }
}
