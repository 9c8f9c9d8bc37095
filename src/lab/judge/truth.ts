/**
 * What the web knows about its domains and a crawler cannot see: for experiments that judge
 * rankings and budgets.
 */
import { addressOf } from '../addresses.ts';
import { type BehaviourName, LAYERS } from '../behaviour.ts';
import type { Resource } from '../resource.ts';
import type { Manner } from '../tricks/manner.ts';
import type { Web } from '../web.ts';
import { textHash } from '../words/random.ts';

export interface Truth {
  readonly domain: string;
  readonly kind: string;
  /** Its part in its group (target, booster, leaf, hub), or ''. */
  readonly role: string;
  readonly spam: boolean;
  readonly topic: number;
  /** Pages born by this step. */
  readonly pages: number;
  readonly alive: boolean;
  readonly behaviours: readonly BehaviourName[];
  /** What its makers do with its text; `compromised` if others put spam on it; '' if honest. */
  readonly trick: string;
  /** Share of the text that the trick spoils. */
  readonly strength: number;
  /** The domains of the same makers, or ''. */
  readonly group: string;
  /** Where its home page is served from. */
  readonly address: string;
  /** How an honest site, or the honest part of another, is written; '' where all are alike. */
  readonly genre: string;
}

/** The truth of a domain by its number; numbers follow rank, the best first. */
export function truthAt(web: Web, index: number): Truth {
  const domain = web.domains.at(index);
  const behaviours = LAYERS.map((layer) => domain.behaviour(layer)).filter(
    (name) => name !== undefined,
  );
  return {
    domain: domain.name,
    kind: domain.kind.name,
    role: domain.kind.role?.(web.world, domain) ?? '',
    spam: domain.kind.spam,
    topic: domain.topic,
    pages: domain.pages,
    alive: domain.alive,
    behaviours,
    ...mannerTruth(domain.manner),
    group: domain.kind.group?.(web.world, domain)?.name ?? '',
    address: addressOf(web.world, { domain, host: 0, label: '' }),
  };
}

function mannerTruth(manner: Manner | undefined): Pick<Truth, 'trick' | 'strength' | 'genre'> {
  if (!manner) return { trick: '', strength: 0, genre: '' };
  const { trick = manner.compromised ? 'compromised' : '', strength, genre } = manner;
  return { trick, strength: Math.round(strength * 1000) / 1000, genre };
}

/** The truth of a domain by the name of any of its hosts. */
export function truthOf(web: Web, hostName: string): Truth | undefined {
  const place = web.placeOf(hostName);
  return place && truthAt(web, place.domain.index);
}

/**
 * Whose text an address has. Pages with the same text are copies of each other, except for links,
 * headings and some edited paragraphs.
 */
export function textAt(web: Web, hostName: string, target: string): string | undefined {
  const resource = web.resourceAt(hostName, target, web.placeOf(hostName)?.domain.secure);
  return resource && textOf(web, resource);
}

function textOf(web: Web, resource: Resource): string {
  if (resource.is === 'other')
    return `answer ${resource.answer.status} ${textHash(resource.answer.body)}`;
  const { domain } = resource;
  if (resource.is === 'small') return `small ${domain.index} ${resource.key}`;
  const original = domain.kind.textOf?.(web, domain, resource.page) ?? {
    domain,
    page: resource.page,
  };
  return `page ${original.domain.index} ${original.page}`;
}
