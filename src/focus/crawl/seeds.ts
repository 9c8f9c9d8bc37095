/**
 * The seeds of a day: pages of the book that link to documents, in the order of their domains.
 *
 * Idea      The book's parents are visited in rounds. A parent is due if it was not crawled since
 *           the round began. A day takes the first due parents: those of the best domains first,
 *           within a domain those with the most useful documents. If these are too few, parents
 *           follow that were crawled in this round. When no due parent is left over, the next
 *           round begins: so a domain with many parents delays it, and none is left out.
 * Ensures   No seed twice. At most `perDomain` from one domain. The order depends only on the book.
 * Cost      one or two passes over the parents; memory for the seeds.
 */
import type { Book } from '../book/book.ts';
import { domainIn as domainOfKey, urlIn } from '../book/keys.ts';
import { type ParentValue, parentIn } from '../book/values.ts';

interface SeedOptions {
  /** The place of a domain, from 1; undefined if it is not visited. */
  readonly placeOf: (domain: string) => number | undefined;
  readonly count: number;
  readonly perDomain: number;
  /** Parents crawled before this are due, in seconds. */
  readonly round: number;
}

interface Candidate extends ParentValue {
  readonly url: string;
  readonly isDue: boolean;
}

interface Choice {
  readonly seeds: string[];
  /** Whether the round is over with these. */
  readonly endsRound: boolean;
}

/** The chosen parents of a domain. */
interface Group {
  readonly place: number;
  readonly parents: readonly Candidate[];
}

export async function chooseSeeds(book: Book, options: SeedOptions): Promise<Choice> {
  const { count } = options;
  const due = await chooseParents(book, options, false);
  if (due.seeds.length >= count) return { seeds: due.seeds, endsRound: false };
  // Of each domain, this begins with what was chosen before.
  const more = await chooseParents(book, options, true);
  const seeds = [...new Set([...due.seeds, ...more.seeds])].slice(0, count);
  return { seeds, endsRound: due.left === 0 };
}

/** The best due parents, how many due ones are left over, and with `refills` also the others. */
async function chooseParents(
  book: Book,
  options: SeedOptions,
  refills: boolean,
): Promise<{ readonly seeds: string[]; readonly left: number }> {
  let left = 0;
  const chosen = new BestGroups(options.count);
  const reader = await book.read('parents');
  try {
    let domain = '';
    let place: number | undefined;
    let found: Candidate[] = [];
    let due = 0;
    const end = () => {
      if (place !== undefined && found.length > 0)
        chosen.add({ place, parents: best(found, options.perDomain) });
      left += Math.max(0, due - options.perDomain);
      found = [];
      due = 0;
    };
    while (await reader.next()) {
      const key = reader.keyText;
      if (!key.startsWith(`${domain} `)) {
        end();
        domain = domainOfKey(key);
        place = options.placeOf(domain);
      }
      if (place === undefined || place > chosen.worst) continue;
      const value = parentIn(reader.value);
      const isDue = value.last < options.round;
      if (isDue) due++;
      else if (!refills) continue;
      found.push({ ...value, url: urlIn(key), isDue });
      if (found.length > 4 * options.perDomain + 1024) found = best(found, options.perDomain);
    }
    end();
  } finally {
    await reader.close();
  }
  return { seeds: chosen.urls(), left };
}

/** Due ones first, then more useful documents, then more documents, then by URL. */
const byUse = (a: Candidate, b: Candidate): number =>
  Number(b.isDue) - Number(a.isDue) ||
  b.useful - a.useful ||
  b.documents - a.documents ||
  (a.url < b.url ? -1 : 1);

const best = (found: Candidate[], most: number): Candidate[] => found.sort(byUse).slice(0, most);

/** Groups by place, no more than are needed. */
class BestGroups {
  readonly #count: number;
  #groups: Group[] = [];
  #held = 0;
  /** Groups with a larger place are not needed. */
  worst = Infinity;

  constructor(count: number) {
    this.#count = count;
  }

  add(group: Group): void {
    this.#groups.push(group);
    this.#held += group.parents.length;
    if (this.#held > 2 * this.#count) this.#trim();
  }

  urls(): string[] {
    this.#trim();
    return this.#groups
      .flatMap(({ parents }) => parents.map(({ url }) => url))
      .slice(0, this.#count);
  }

  #trim(): void {
    this.#groups.sort((a, b) => a.place - b.place);
    let held = 0;
    const needed = this.#groups.findIndex(({ parents }) => {
      held += parents.length;
      return held >= this.#count;
    });
    if (needed < 0) return;
    this.#groups = this.#groups.slice(0, needed + 1);
    this.#held = held;
    this.worst = this.#groups[needed].place;
  }
}
