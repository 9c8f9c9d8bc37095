/**
 * The web of a simulated crawl: a few hosts with pages that are all reachable from the seeds, and
 * what a perfect crawl of it fetches.
 */
import type { Random } from '../../test/fuzz/mutation.ts';

type Kind = 'html' | 'text' | 'redirect' | 'missing';

export interface SimPage {
  readonly url: string;
  readonly kind: Kind;
  /** For a redirect: its target alone. */
  readonly links: readonly string[];
  readonly body: string;
}

export interface SimHost {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Undefined for a host without robots.txt. */
  readonly robots: string | undefined;
  /** Seconds that robots.txt asks for. */
  readonly crawlDelay: number;
  readonly pages: ReadonlyMap<string, SimPage>;
}

export interface SimWeb {
  readonly hosts: ReadonlyMap<string, SimHost>;
  readonly seeds: readonly string[];
  /** All URLs that must be in the archive at the end. */
  readonly expected: ReadonlySet<string>;
  /** URLs that robots.txt disallows. */
  readonly disallowed: ReadonlySet<string>;
}

/** Hosts that pages link to and that have no address. */
export const NOWHERE = ['nowhere.invalid-site.example', 'dangling.other-site.example'] as const;

export function makeWeb(random: Random): SimWeb {
  const names = hostNames(random);
  const urls: string[] = [];
  for (const name of names) {
    const pages = 1 + random(9);
    for (let page = 0; page < pages; page++) {
      const folder = random(8) === 0 && page > 0 ? 'private/' : '';
      urls.push(`http://${name}/${page === 0 ? '' : `${folder}p${page}`}`);
    }
  }
  shuffle(urls, random);
  const pages = linked(urls, random);
  const hosts = new Map<string, SimHost>();
  const addresses = Array.from({ length: 1 + random(names.length) }, (_, i) =>
    random(8) === 0 ? `fd00::${i + 1}` : `10.0.0.${i + 1}`,
  );
  for (const name of names) {
    const own = pages.filter(({ url }) => new URL(url).host === name);
    const crawlDelay = random(6) === 0 ? 2 + random(6) : 0;
    const robots = robotsOf(crawlDelay, random);
    const first = random(addresses.length);
    const second = random(3) === 0 ? [addresses[random(addresses.length)]] : [];
    hosts.set(name, {
      name,
      addresses: [...new Set([addresses[first], ...second])],
      robots,
      crawlDelay: robots === undefined ? 0 : crawlDelay,
      pages: new Map(own.map((page) => [new URL(page.url).pathname, page])),
    });
  }
  const seeds = [urls[0], ...(random(2) === 0 ? [urls[random(urls.length)]] : [])];
  return { hosts, seeds, ...truth(hosts, seeds) };
}

function hostNames(random: Random): string[] {
  const names: string[] = [];
  const domains = 1 + random(5);
  for (let domain = 0; domain < domains; domain++) {
    names.push(`site${domain}.example`);
    if (random(2) === 0) names.push(`www.site${domain}.example`);
    if (random(3) === 0) names.push(`blog.site${domain}.example`);
  }
  return names;
}

function shuffle<T>(list: T[], random: Random): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random(i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
}

/** Every page is linked from one before it, so that all are reachable but for robots.txt. */
function linked(urls: readonly string[], random: Random): SimPage[] {
  const links = urls.map((): string[] => []);
  const kinds: Kind[] = urls.map((_, i) => (i === 0 ? 'html' : kindOf(random)));
  for (let i = 1; i < urls.length; i++) {
    let from = random(i);
    while (kinds[from] === 'text' || kinds[from] === 'missing' || isFull(kinds, links, from))
      from = (from + i - 1) % i;
    links[from].push(urls[i]);
  }
  const pages: SimPage[] = [];
  for (const [i, url] of urls.entries()) {
    // A redirect to nothing of its own leads to the first page.
    if (kinds[i] === 'redirect' && links[i].length === 0) links[i].push(urls[0]);
    if (kinds[i] === 'html') {
      for (let more = random(6); more > 0; more--) links[i].push(urls[random(urls.length)]);
      if (random(10) === 0) links[i].push(`http://${NOWHERE[random(2)]}/`);
    }
    pages.push({
      url,
      kind: kinds[i],
      links: links[i],
      body: bodyOf(url, kinds[i], links[i], random),
    });
  }
  return pages;
}

/** A redirect has one target. */
const isFull = (kinds: readonly Kind[], links: readonly string[][], from: number): boolean =>
  kinds[from] === 'redirect' && links[from].length > 0;

function kindOf(random: Random): Kind {
  const n = random(12);
  return n === 0 ? 'redirect' : n === 1 ? 'missing' : n <= 3 ? 'text' : 'html';
}

function bodyOf(url: string, kind: Kind, links: readonly string[], random: Random): string {
  if (kind === 'redirect') return '';
  // Some pages have the same payload as others: the archive refers to the first.
  if (kind === 'text') return `text ${random(4)} `.repeat(1 + random(3) * 200);
  const list = links.map((link) => `<a href="${link}">${link.length}</a>`).join('\n');
  const filler = `words of ${url} `.repeat(random(random(10) === 0 ? 400 : 30));
  return `<!doctype html><title>${url}</title><p>${filler}</p>${list}`;
}

function robotsOf(crawlDelay: number, random: Random): string | undefined {
  if (random(4) === 0) return undefined;
  const delay = crawlDelay > 0 ? `Crawl-delay: ${crawlDelay}\n` : '';
  return `User-agent: *\nDisallow: /private/\n${delay}`;
}

/** What a perfect crawl fetches: it follows all links but those that robots.txt disallows. */
function truth(
  hosts: ReadonlyMap<string, SimHost>,
  seeds: readonly string[],
): Pick<SimWeb, 'expected' | 'disallowed'> {
  const expected = new Set<string>();
  const disallowed = new Set<string>();
  const open = [...seeds];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (expected.has(url)) continue;
    const { host, pathname } = new URL(url);
    const page = hosts.get(host)?.pages.get(pathname);
    if (!page) continue;
    if (pathname.startsWith('/private/') && hosts.get(host)?.robots !== undefined) {
      disallowed.add(url);
      continue;
    }
    expected.add(url);
    open.push(...page.links);
  }
  return { expected, disallowed };
}
