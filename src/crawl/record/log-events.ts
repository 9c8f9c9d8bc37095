/**
 * Every event that a crawl writes to its log: when, and with which facts. docs/log.md is generated from this table, and the compiler
 * refuses an event that is not in it.
 */
interface EventKind {
  readonly when: string;
  /** What each fact is. */
  readonly facts: Readonly<Record<string, string>>;
}

export const EVENTS = {
  'crawl-started': {
    when: 'A run has begun.',
    facts: {
      version: 'of drumlin',
      pid: 'the process',
      seeds: 'how many were named this time',
      agents: 'how many crawl',
      from: 'where it goes on from, if it does: `savedAt`, `pages`, `waiting`',
    },
  },
  'crawl-stopping': {
    when: 'Nothing new is begun; requests under way get three seconds.',
    facts: { reason: '`finished`, `max-pages`, `max-bytes`, `max-time` or `interrupted`' },
  },
  'crawl-ended': {
    when: 'A run came to its end, and everything is saved.',
    facts: {
      end: 'as in `crawl-stopping`',
      pages: 'fetched in this run',
      seconds: 'that it took',
      summary: 'the object that `drumlin crawl --json` prints',
    },
  },
  'crawl-failed': {
    when: 'A run could not go on; its last checkpoint counts.',
    facts: { error: 'what was printed: the fact and the remedy' },
  },
  'agents-changed': {
    when: 'The crawl was handed over to another number of agents.',
    facts: { from: 'how many there were', to: 'how many there are' },
  },
  warning: {
    when: 'Something about a file that a setting names wants attention.',
    facts: { sentence: 'what, where, and what to do' },
  },
  trouble: {
    when: 'The crawl is not well: it is what `/healthz` says.',
    facts: {
      code: '`network-gone`, `names-gone`, `no-pages`, `disk-low` or `no-checkpoint`',
      fact: 'in a sentence',
      remedy: 'what to do about it',
    },
  },
  'trouble-over': {
    when: 'It is well again.',
    facts: { code: 'of the trouble that is over' },
  },
  'network-gone': {
    when: 'Several addresses that answered before no longer do, and nobody else answers: nobody is given up for now.',
    facts: { fault: 'of the last', addresses: 'that failed' },
  },
  'network-back': {
    when: 'Somebody answers again.',
    facts: { ip: 'who' },
  },
  'names-gone': {
    when: 'A name that was known a while ago can no longer be looked up either.',
    facts: { name: 'which' },
  },
  'names-back': {
    when: 'Names can be looked up again.',
    facts: { name: 'which' },
  },
  'checkpoint-slow': {
    when: 'A checkpoint took longer than the time between two.',
    facts: { agent: 'whose', took: 'milliseconds' },
  },
  'status-refused': {
    when: 'status.json cannot be written; told once, and the crawl goes on.',
    facts: { why: 'what the disk said' },
  },
  'host-waits': {
    when: 'A server is left alone for a while after what it answered: 429, 503, or errors one after the other.',
    facts: { host: 'its name', cause: 'as counted in `retries`', wait: 'milliseconds' },
  },
  'url-given-up': {
    when: 'A URL could not be had, and is not tried again.',
    facts: {
      url: 'which',
      fault: 'as counted in `errors`',
      why: 'what the system or the server said',
    },
  },
  'host-given-up': {
    when: 'A host is not there: what waits of it is refused, and so is what comes in the next hours.',
    facts: {
      host: 'its name',
      fault: 'as counted in `errors`',
      why: 'what the system or the server said',
      urls: 'that were refused',
    },
  },
  'robots-unreachable': {
    when: 'A robots.txt cannot be had, so nothing is fetched from there for an hour.',
    facts: {
      origin: 'whose',
      fault: 'as in the retry table',
      why: 'what the system or the server said',
    },
  },
  'crawl-delay-capped': {
    when: 'A robots.txt asks for a longer Crawl-delay than `--max-crawl-delay`.',
    facts: { host: 'whose', delay: 'what was asked and what it was cut to' },
  },
  'filters-changed': {
    when: 'filters.txt says something new, and all agents have been told.',
    facts: { filters: 'those that hold now, by stage' },
  },
  'filters-refused': {
    when: 'filters.txt, or a list that it names, cannot be read: what held before still does.',
    facts: { why: 'where, and what is wrong with it' },
  },
  'domain-decided': {
    when: 'The operator decided what a domain may have (`drumlin domains set`), and the crawl follows.',
    facts: {
      domain: 'its name',
      decision: '`blocked`, `trusted`, URLs a round, or `policy`: what its rank earns',
    },
  },
  'domains-file-refused': {
    when: 'domains.tsv cannot be read: what was decided before holds.',
    facts: { why: 'which line is wrong' },
  },
  'near-duplicate': {
    when: 'A page has nearly the text of an earlier one.',
    facts: {
      url: 'of the page',
      of: 'the earlier page; empty if it is no longer known',
      similarity: 'the part of the text that they have in common, about',
    },
  },
  'trap-learned': {
    when: 'A part of a host’s URLs turned out not to choose the page: such links are followed once from now on.',
    facts: {
      host: 'scheme and host',
      rule: 'which part, see docs/traps.md',
      why: 'what it was learned from',
      examples: 'two pages of which it was learned last',
    },
  },
  'trap-withdrawn': {
    when: 'It does choose the page after all.',
    facts: {
      host: 'scheme and host',
      rule: 'which part',
      why: 'what speaks against it',
      examples: 'two pages',
    },
  },
  'soft-404': {
    when: 'A host answers with status 200 and always the same text for pages that are not there.',
    facts: { url: 'the page that we made up to find out' },
  },
  'told-enough': {
    when: 'An agent has told so many events of this name in this run; the others are only counted. It concerns `host-waits`, `url-given-up`, `near-duplicate`, `trap-learned`, `trap-withdrawn` and `soft-404`.',
    facts: { of: 'the name', lines: 'how many were told' },
  },
  'rank-sample-halved': {
    when: 'There are too many domains for the memory of TSE: it goes by half as many.',
    facts: { p: 'the part of the domains that it goes by' },
  },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventName = keyof typeof EVENTS;
/** What an event is told with; a fact that does not apply may be undefined. */
export type Facts<Name extends EventName> = {
  readonly [Fact in keyof (typeof EVENTS)[Name]['facts']]: unknown;
};

/** The table in docs/log.md. */
export function eventTable(): string {
  const rows = Object.entries<EventKind>(EVENTS).map(([name, { when, facts }]) => {
    const list = Object.entries(facts).map(([fact, text]) => `\`${fact}\`: ${text}`);
    return `| \`${name}\` | ${when} | ${list.join('<br>')} |`;
  });
  return ['| event | when | facts |', '|---|---|---|', ...rows].join('\n');
}
