/**
 * Every event that a crawl writes to its log: when, and with which facts. docs/log.md is generated
 * from this table, and the compiler rejects an event that is not in it.
 */
interface EventKind {
  readonly when: string;
  /** The facts of the event, each with its meaning. */
  readonly facts: Readonly<Record<string, string>>;
}

export const EVENTS = {
  'crawl-started': {
    when: 'A run has started.',
    facts: {
      version: 'version of drumlin',
      pid: 'process id',
      seeds: 'number of seeds given for this run',
      agents: 'number of agents',
      from: 'on resume, the checkpoint: `savedAt`, `pages`, `waiting` (queued URLs)',
    },
  },
  'crawl-stopping': {
    when: 'The run starts nothing new; requests under way get three seconds.',
    facts: { reason: '`finished`, `max-pages`, `max-bytes`, `max-time` or `interrupted`' },
  },
  'crawl-ended': {
    when: 'A run has ended, and everything is saved.',
    facts: {
      end: 'as in `crawl-stopping`',
      pages: 'pages fetched in this run',
      seconds: 'duration of the run',
      summary: 'the object that `drumlin crawl --json` prints',
    },
  },
  'crawl-failed': {
    when: 'A run has failed; its last checkpoint counts.',
    facts: { error: 'the printed error: the fact and the remedy' },
  },
  'crawl-repaired': {
    when: '`drumlin repair` has made damaged agents anew.',
    facts: {
      agents: 'the agents that were damaged',
      damages: 'number of damaged files',
      fetched: 'URLs that are in the archive',
      queuedBefore: 'URLs that were queued at the last checkpoints of these agents, if known',
      salvaged: 'URLs that their whole files still held',
      queued: 'URLs queued by all agents now',
    },
  },
  'agents-changed': {
    when: 'The crawl was handed over to another number of agents.',
    facts: { from: 'old number', to: 'new number' },
  },
  'crawl-begun-anew': {
    when: 'The crawl begins again from its seeds (`--recrawl`); its archive is kept.',
    facts: { runs: 'runs before this one' },
  },
  'archive-orphan': {
    when: 'A file of the archive, or the end of one, is in no checkpoint: it was moved to `orphans/`, and its pages are fetched again.',
    facts: { file: 'name of the file', orphan: 'where it is now' },
  },
  'agent-taken': {
    when: 'A worker of a cluster runs an agent from now on.',
    facts: {
      agent: 'number of the agent',
      epoch: 'how many workers had the agent, this one included',
      files: '`kept` on this disk, `restored` from the object store, or `new`',
    },
  },
  'agent-committed': {
    when: 'A checkpoint of an agent is in the object store, and counts for the cluster.',
    facts: {
      agent: 'number of the agent',
      epoch: 'as in `agent-taken`',
      pages: 'pages of the agent in the archive',
      took: 'milliseconds of upload and commit',
    },
  },
  'agent-left': {
    when: 'A worker of a cluster no longer runs an agent.',
    facts: {
      agent: 'number of the agent',
      epoch: 'as in `agent-taken`',
      how: '`released`, `lost` (taken over) or the error that ended it',
    },
  },
  'upload-failed': {
    when: 'The object store failed to take or to give a checkpoint; it is tried again.',
    facts: { agent: 'number of the agent', why: 'the error' },
  },
  'cluster-trouble': {
    when: 'A step of a worker failed: brokers or the object store do not answer. It is tried again.',
    facts: { why: 'the error' },
  },
  'cluster-phase': {
    when: 'The state of the cluster has changed.',
    facts: {
      phase: '`running`, `stopping`, `concluding` or `ended`',
      reason: 'as in `crawl-stopping`',
    },
  },
  'cluster-leader': {
    when: 'This worker leads the cluster from now on.',
    facts: { term: 'how many leaders there were, this one included' },
  },
  warning: {
    when: 'A file named by a setting, or a file of the crawl, needs attention.',
    facts: { sentence: 'what is wrong, where, and what to do' },
  },
  trouble: {
    when: 'The crawl has become unhealthy; `/healthz` reports the same.',
    facts: {
      code: '`network-gone`, `names-gone`, `no-pages`, `disk-low` or `no-checkpoint`',
      fact: 'what is wrong, in a sentence',
      remedy: 'what to do about it',
    },
  },
  'trouble-over': {
    when: 'The crawl is healthy again.',
    facts: { code: 'code of the trouble that is over' },
  },
  'network-gone': {
    when: 'Several addresses that answered before no longer do, and no other address answers: no host fails until the network is back.',
    facts: { fault: 'fault of the last request', addresses: 'addresses that failed' },
  },
  'network-back': {
    when: 'An address answers again.',
    facts: { ip: 'the address' },
  },
  'names-gone': {
    when: 'A name that was resolved a while ago cannot be looked up any more.',
    facts: { name: 'the name' },
  },
  'names-back': {
    when: 'Names can be looked up again.',
    facts: { name: 'the name' },
  },
  'checkpoint-slow': {
    when: 'A checkpoint took longer than the time between two checkpoints.',
    facts: { agent: 'the agent', took: 'duration in milliseconds' },
  },
  'status-refused': {
    when: 'status.json cannot be written; logged once, and the crawl continues.',
    facts: { why: 'error of the disk' },
  },
  'internal-error': {
    when: 'An error that should not happen, in the handling of one host or page: its URL is retried, then fails; the host is paused, and the crawl continues. Please report it.',
    facts: {
      host: 'name of the host',
      url: 'the URL, if the error is about one',
      message: 'name and message of the error',
      stack: 'where it was thrown',
    },
  },
  'host-waits': {
    when: 'A host is paused because of its answers: 429, 503, or errors in a row.',
    facts: {
      host: 'name of the host',
      cause: 'as counted in `retries`',
      wait: 'length of the pause in milliseconds',
    },
  },
  'url-given-up': {
    when: 'A URL failed and is not tried again.',
    facts: {
      url: 'the URL',
      fault: 'as counted in `errors`',
      why: 'error of the system or the server',
    },
  },
  'host-given-up': {
    when: 'A host cannot be reached: its queued URLs fail, and so do those discovered in the next hours.',
    facts: {
      host: 'name of the host',
      fault: 'as counted in `errors`',
      why: 'error of the system or the server',
      urls: 'number of URLs that failed',
    },
  },
  'seed-trouble': {
    when: 'The first request to the host of a seed has failed; an agent logs at most five.',
    facts: {
      host: 'name of the host',
      fault: 'as in the retry table',
      why: 'error of the system or the server',
      remedy: 'what to do about it',
      wait: 'time until it is tried again, in milliseconds; absent if it is not',
    },
  },
  'robots-unreachable': {
    when: 'A robots.txt cannot be fetched, so nothing is fetched from there for an hour.',
    facts: {
      origin: 'scheme, host and port',
      fault: 'as in the retry table',
      why: 'error of the system or the server',
    },
  },
  'crawl-delay-capped': {
    when: 'A robots.txt asks for a longer Crawl-delay than `--max-crawl-delay`.',
    facts: { host: 'name of the host', delay: 'the requested delay and the one that is used' },
  },
  'links-cut': {
    when: 'A page links to more URLs than `--max-links`: the links after them are left out.',
    facts: {
      url: 'URL of the page',
      links: 'links that were read',
      cut: 'references that were left out; some may repeat others',
    },
  },
  'filters-changed': {
    when: 'filters.txt has changed, and all agents use the new filters.',
    facts: {
      by: 'what wrote it: `console`, `drumlin set`, `drumlin filter set`, or `another program`',
      filters: 'the filters in use, by stage',
    },
  },
  'filters-refused': {
    when: 'filters.txt, or a list that it names, cannot be read: the old filters stay in use.',
    facts: { why: 'the place and the error' },
  },
  'settings-changed': {
    when: 'The operator has changed the crawl while it runs (`drumlin set`, the console), and every agent has applied it at a checkpoint.',
    facts: {
      by: 'what wrote it: `console`, `drumlin set`',
      changes:
        'each change with its new value: settings, `paused`, `stop`, `seeds`, or `checkpoint`',
    },
  },
  'tuning-refused': {
    when: 'tuning.json cannot be read: nothing changes.',
    facts: { why: 'the error' },
  },
  'domain-decided': {
    when: 'A user has set the budget of a domain (`drumlin domains set`), and the crawl applies it.',
    facts: {
      domain: 'name of the domain',
      decision: '`blocked`, `trusted`, URLs per round, or `policy` (the budget of its rank)',
      by: 'what wrote domains.tsv last: `console`, `drumlin domains set`, or `another program`',
    },
  },
  'domains-file-refused': {
    when: 'domains.tsv cannot be read: the old decisions stay in use.',
    facts: { why: 'the line and the error' },
  },
  'page-truncated': {
    when: 'The body of a page was cut: links and text after the cut are lost.',
    facts: {
      url: 'URL of the page',
      why: '`length` (`--max-body`), `time`, `disconnect`, or `decoding` (stored whole, but too large when decoded)',
      bytes: 'length of what is left, before decoding',
    },
  },
  'render-failed': {
    when: 'A page could not be rendered; it is kept as it was fetched.',
    facts: {
      url: 'URL of the page',
      fault: '`render-crashed`, `render-hung` or `render-memory`',
      why: 'what happened',
    },
  },
  'browser-untried': {
    when: 'Pages are rendered with a browser that is newer than all that Drumlin was tried with.',
    facts: { browser: 'its name and version', newest: 'the newest version that was tried' },
  },
  'near-duplicate': {
    when: 'A page has nearly the same text as an earlier one.',
    facts: {
      url: 'URL of the page',
      of: 'URL of the earlier page; empty if it is no longer known',
      similarity: 'share of the text that they have in common, estimated',
    },
  },
  'trap-learned': {
    when: 'A part of the URLs of a host does not select the page: such links are followed once from now on.',
    facts: {
      host: 'scheme and host',
      rule: 'the part of the URL, see docs/traps.md',
      why: 'the evidence',
      examples: 'the last two pages that confirmed it',
    },
  },
  'trap-withdrawn': {
    when: 'A learned part of the URLs does select the page after all.',
    facts: {
      host: 'scheme and host',
      rule: 'the part of the URL',
      why: 'the evidence against it',
      examples: 'two pages',
    },
  },
  'soft-404': {
    when: 'A host answers with status 200 and always the same text for pages that do not exist.',
    facts: { url: 'the page that we invented to find out' },
  },
  'spam-verdict': {
    when: 'A domain is spam by its last verdict and was not before, or the other way round (`--spam`). Spam is a probability of 0.5 or more.',
    facts: {
      domain: 'its name',
      spam: 'the probability',
      before: 'the probability by the verdict before',
      pages: 'pages that the verdict is made of',
    },
  },
  'told-enough': {
    when: 'An agent has logged this many events of this name in this run; further ones are only counted. It applies to `internal-error`, `host-waits`, `url-given-up`, `page-truncated`, `near-duplicate`, `trap-learned`, `trap-withdrawn`, `soft-404` and `spam-verdict`.',
    facts: { of: 'name of the event', lines: 'number of events logged' },
  },
  'rank-sample-halved': {
    when: 'There are too many domains for the memory of TSE: it halves its sample.',
    facts: { p: 'share of the domains in the sample' },
  },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventName = keyof typeof EVENTS;
/** The facts that an event is logged with; a fact that does not apply may be undefined. */
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
