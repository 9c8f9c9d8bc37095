/**
 * What a web is made of: the share of each kind of domain and of each server behaviour.
 *
 * `clean` is the well-behaved web, `site` one site of an exact size, `mixed` what a broad crawl
 * sees, `spam` a web where every second domain deceives, `attack` one where spammers buy reputation
 * in every way, `hostile` one where servers do their worst, `papers` a well-behaved one with
 * documents of all kinds, `scripted` one where scripts make half of the sites. Any share can be set
 * by name.
 */
import { DrumlinError } from '../base/errors.ts';
import { BEHAVIOURS, type BehaviourName, isBehaviour, LAYERS, type Layer } from './behaviour.ts';
import type { KindName } from './kind.ts';
import { KINDS } from './kinds.ts';

export interface Scenario {
  readonly name: string;
  /** Share of the domains of each kind; the rest are ordinary. */
  readonly kinds: ReadonlyMap<KindName, number>;
  /** Share of the domains with each behaviour, by layer; the rest behave well. */
  readonly behaviours: ReadonlyMap<Layer, ReadonlyMap<BehaviourName, number>>;
  /** Sites have exactly `pages` pages, and that number never changes. */
  readonly exactPages: boolean;
  /** Domains of every kind have documents, and papers cite papers: see document.ts. */
  readonly documents: boolean;
  /** Share of the pages of giants that are full of comments with links to spam. */
  readonly giantComments: number;
}

type Shares = Readonly<Record<string, number>>;

const GIANT_COMMENTS = 'giant-comments';

const HONEST: Shares = { giant: 0.002, personal: 0.2, academic: 0.04, directory: 0.01 };

const MIXED: Shares = {
  giant: 0.002,
  personal: 0.15,
  academic: 0.04,
  directory: 0.01,
  exchange: 0.04,
  farm: 0.05,
  parked: 0.05,
  copy: 0.02,
  honeypot: 0.004,
  expired: 0.006,
  wildcard: 0.004,
  calendar: 0.01,
  session: 0.01,
  repeat: 0.004,
  alias: 0.004,
  'dns-nxdomain': 0.01,
  'dns-servfail': 0.004,
  'dns-late': 0.004,
  'dns-private': 0.002,
  tls: 0.25,
  'tls-expired': 0.004,
  'tls-self-signed': 0.004,
  'tls-wrong-name': 0.004,
  'robots-wildcards': 0.1,
  'robots-delay': 0.04,
  'robots-disallow': 0.02,
  'robots-groups': 0.04,
  'robots-forbidden': 0.02,
  'robots-error': 0.01,
  'robots-redirect': 0.01,
  'robots-invalid': 0.02,
  'redirect-301': 0.06,
  'redirect-302': 0.06,
  'redirect-307': 0.004,
  'redirect-308': 0.004,
  'redirect-chain': 0.004,
  'redirect-loop': 0.004,
  'status-401': 0.01,
  'status-403': 0.02,
  'status-404': 0.06,
  'soft-404': 0.04,
  'status-410': 0.01,
  'status-429': 0.01,
  'status-500': 0.02,
  'status-503': 0.02,
  chunked: 0.2,
  gzip: 0.16,
  br: 0.02,
  close: 0.1,
  'no-charset': 0.05,
  'lying-charset': 0.02,
  'no-type': 0.01,
  'lying-type': 0.004,
  'slow-start': 0.01,
  'short-length': 0.004,
  'cut-off': 0.01,
  reset: 0.004,
};

/** All behaviours of a layer in equal parts, `share` of the domains in total. */
function all(layer: Layer, share: number): Shares {
  const names = Object.keys(BEHAVIOURS).filter(
    (name) => BEHAVIOURS[name as BehaviourName].layer === layer,
  );
  return Object.fromEntries(names.map((name) => [name, share / names.length]));
}

const SPAM: Shares = {
  ...MIXED,
  personal: 0.1,
  exchange: 0.12,
  farm: 0.2,
  parked: 0.12,
  copy: 0.04,
  wildcard: 0.02,
};

const HOSTILE: Shares = {
  ...SPAM,
  wildcard: 0.04,
  calendar: 0.03,
  session: 0.03,
  repeat: 0.03,
  alias: 0.03,
  farm: 0.1,
  ...all('dns', 0.2),
  ...all('tls', 0.4),
  ...all('robots', 0.7),
  ...all('page', 0.8),
  ...all('transfer', 0.95),
};

/** As much spam as in `spam`, and more skill: every way to buy reputation at once. */
const ATTACK: Shares = {
  ...SPAM,
  exchange: 0.06,
  farm: 0.1,
  parked: 0.06,
  expired: 0.01,
  'sparse-ring': 0.2,
  bought: 0.01,
  'giant-comments': 1,
};

const SCRIPTED: Shares = {
  ...HONEST,
  'script-inline': 0.12,
  'script-data': 0.12,
  'script-scroll': 0.08,
  'script-click': 0.06,
  'script-hash': 0.06,
  'script-loop': 0.01,
  'script-memory': 0.01,
  'script-dialogs': 0.02,
  'script-redirect': 0.01,
  'script-private': 0.01,
};

interface Definition {
  readonly shares: Shares;
  readonly exactPages?: boolean;
  readonly documents?: boolean;
}

const SCENARIOS: Readonly<Record<string, Definition>> = {
  clean: { shares: HONEST },
  mixed: { shares: MIXED },
  spam: { shares: SPAM },
  attack: { shares: ATTACK },
  hostile: { shares: HOSTILE },
  site: { shares: {}, exactPages: true },
  papers: { shares: { ...HONEST, academic: 0.08 }, documents: true },
  scripted: { shares: SCRIPTED },
};

export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS);

/** A scenario by name, with some shares changed. */
export function scenarioOf(name: string, mix: Shares = {}): Scenario {
  const base = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (!base)
    throw new DrumlinError(
      'LAB_SCENARIO',
      `There is no scenario "${name}".`,
      `Choose one of ${SCENARIO_NAMES.join(', ')}.`,
    );
  const kinds = new Map<KindName, number>();
  let giantComments = 0;
  const behaviours = new Map(LAYERS.map((layer) => [layer, new Map<BehaviourName, number>()]));
  for (const [part, share] of Object.entries({ ...base.shares, ...mix })) {
    checkShare(part, share);
    if (isBehaviour(part)) behaviours.get(BEHAVIOURS[part].layer)?.set(part, share);
    else if (Object.hasOwn(KINDS, part)) kinds.set(part as KindName, share);
    else if (part === GIANT_COMMENTS) giantComments = share;
    else throw unknownPart(part);
  }
  checkSum('kinds', kinds);
  for (const [layer, shares] of behaviours) checkSum(layer, shares);
  const { exactPages = false, documents = false } = base;
  return { name, kinds, behaviours, exactPages, documents, giantComments };
}

/** Whether some domains are made to deceive. */
export function deceives({ kinds }: Scenario): boolean {
  return [...kinds].some(([kind, share]) => share > 0 && KINDS[kind].spam);
}

function checkShare(part: string, share: number): void {
  if (share >= 0 && share <= 1) return;
  throw new DrumlinError(
    'LAB_MIX',
    `The share of "${part}" is ${share}.`,
    'Give it between 0 and 1, or as a percentage like 5%.',
  );
}

function checkSum(what: string, shares: ReadonlyMap<string, number>): void {
  const sum = [...shares.values()].reduce((a, b) => a + b, 0);
  if (sum <= 1.000001) return;
  throw new DrumlinError(
    'LAB_MIX',
    `The shares of ${what} sum to ${Math.round(sum * 100)}%.`,
    'Lower some of them until they sum to at most 100%.',
  );
}

function unknownPart(part: string): DrumlinError {
  const known = [...Object.keys(KINDS), GIANT_COMMENTS, ...Object.keys(BEHAVIOURS)];
  return new DrumlinError(
    'LAB_MIX',
    `Nothing in the lab is called "${part}".`,
    `Choose one of ${known.join(', ')}.`,
  );
}
