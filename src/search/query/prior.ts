/**
 * How much a page is believed before its words are looked at: by the rank of its domain, and by the
 * verdict on spam.
 *
 * Idea      prior = (1 − spam)^μ / (1 + λ ln place). It is at most 1, so bounds on scores hold as
 *           they are, and postings are skipped as without it. A domain that the list of ranks does
 *           not have comes after all that it has; one without a verdict is no spam.
 * Cost      One pass over the hosts of the index; 8 bytes a version.
 */
import { DrumlinError } from '../../base/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import { readDomainValues } from '../../filter/domain-values.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { FIELD } from '../store/formats.ts';
import type { Part } from '../store/part.ts';
import type { SearchIndex } from './search-index.ts';

interface PriorFiles {
  /** Files of domains: with their places, and with probabilities of spam. */
  readonly ranks?: string | undefined;
  readonly spam?: string | undefined;
  /** λ and μ. */
  readonly rankWeight: number;
  readonly spamWeight: number;
}

/** The prior of each version; undefined if no file is given. */
export async function priorOf(
  index: SearchIndex,
  disk: Disk,
  { ranks, spam, rankWeight, spamWeight }: PriorFiles,
): Promise<Float64Array | undefined> {
  if (ranks === undefined && spam === undefined) return undefined;
  const places = ranks === undefined ? undefined : await readDomainValues(disk, ranks);
  const verdicts = spam === undefined ? undefined : await readDomainValues(disk, spam);
  const factorOf = (domain: string): number => {
    const place = places === undefined ? 1 : (places.values.valueOf(domain) ?? places.greatest + 1);
    const verdict = verdicts?.values.valueOf(domain) ?? 0;
    if (place < 1) throw outOfRange(ranks, domain, place, 'places begin with 1');
    if (verdict < 0 || verdict > 1)
      throw outOfRange(spam, domain, verdict, 'a probability is from 0 to 1');
    return (1 - verdict) ** spamWeight / (1 + rankWeight * Math.log(place));
  };
  const prior = new Float64Array(index.pages.versions).fill(1);
  for (const [i, part] of index.parts.entries()) {
    const base = index.pages.bases[i];
    for (const site of await domainsIn(part)) {
      const factor = factorOf(site);
      const list = await part.list(FIELD.site + site, { blocks: 0, decoded: 0 });
      list?.eachBlock((versions, count) => {
        for (let at = 0; at < count; at++) prior[base + versions[at]] = factor;
      });
    }
  }
  return prior;
}

/** The pay-level domains of a part. A suffix such as `co.uk` can be one, too: it comes first. */
async function domainsIn(part: Part): Promise<string[]> {
  const domains: string[] = [];
  for await (const { term } of part.terms.startingWith(FIELD.site)) {
    const site = term.slice(1);
    if (payLevelDomain(site) === site) domains.push(site);
  }
  const labels = (site: string) => site.split('.').length;
  return domains.sort((a, b) => labels(a) - labels(b));
}

const outOfRange = (path: string | undefined, domain: string, value: number, rule: string) =>
  new DrumlinError('LIST', `${path} gives ${domain} the value ${value}: ${rule}.`, 'Correct it.');
