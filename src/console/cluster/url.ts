/**
 * What the book of a cluster says of a URL: who owns it, and whether the operator or a filter keeps
 * it away. Its queue is in the folder of its owner, its captures are in the object store.
 */
import { KEYS, type SteeredText } from '../../cluster/members/keys.ts';
import { agentOf } from '../../crawl/transport/routing.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Stage } from '../../filter/subject.ts';
import { OVERRIDES_FILE, parseOverrides } from '../../reputation/budget/overrides.ts';
import { canonicaliseOrReason } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { hostOf } from '../../url/parts.ts';
import { becauseOf, type FilterVerdicts, verdictsBy } from '../look/filter-verdicts.ts';
import type { ClusterWatch } from './cluster-watch.ts';
import { configOf, filtersOf } from './control.ts';

interface Step {
  readonly part: string;
  readonly verdict: 'passes' | 'stops' | 'unknown';
  readonly fact: string;
}

interface Owned {
  readonly given: string;
  /** `not-a-url`, `blocked`, `blacklist`, `schedule-filter`, `fetch-filter`, or `owned`. */
  readonly reason: string;
  readonly answer: string;
  readonly steps: readonly Step[];
  readonly captures: readonly never[];
  readonly log: readonly never[];
}

/** Links from a seed that a filter on depth is asked with. */
const DEPTH = 1;

export async function ownedUrl(disk: Disk, cluster: ClusterWatch, given: string): Promise<Owned> {
  const none = { given, captures: [], log: [] };
  const url = canonicaliseOrReason(given);
  if (typeof url !== 'string') {
    const steps: Step[] = [{ part: 'canonical form', verdict: 'stops', fact: url.fact }];
    return { ...none, reason: 'not-a-url', answer: `It cannot be crawled: ${url.fact}`, steps };
  }
  const config = configOf(cluster);
  const domain = payLevelDomain(hostOf(url));
  const { agents } = cluster.status();
  const partition = partitionOfFingerprint(fingerprint(url));
  const agent = agentOf(partition, agents.length);
  const worker = agents[agent]?.worker ?? '';
  const owner =
    worker === '' ? `agent ${agent}, which no worker runs` : `agent ${agent} on ${worker}`;
  const { text = '' } = cluster.value<SteeredText>(KEYS.domains) ?? {};
  const decision = parseOverrides(text, OVERRIDES_FILE).get(domain);
  const verdicts = await verdictsBy(disk, filtersOf(cluster), config, url, DEPTH);
  const steps: Step[] = [
    { part: 'canonical form', verdict: 'passes', fact: url },
    { part: 'owner', verdict: 'passes', fact: `${domain}, partition ${partition}, ${owner}` },
    {
      part: 'operator',
      verdict: decision === 'blocked' ? 'stops' : 'passes',
      fact: decision === undefined ? 'no decision for its domain' : `its domain: ${decision}`,
    },
    ...filterSteps(verdicts),
    { part: 'queue', verdict: 'unknown', fact: `in the folder of ${worker || 'its next owner'}` },
    { part: 'archive', verdict: 'unknown', fact: `captures are in ${cluster.crawl?.objects}` },
  ];
  const stopped = steps.find(({ verdict }) => verdict === 'stops');
  return {
    ...{ ...none, steps, reason: stopped ? (REASONS[stopped.part] ?? stopped.part) : 'owned' },
    answer: stopped
      ? `It is not fetched: ${stopped.part}, ${stopped.fact}.`
      : `It belongs to ${owner}. Neither the operator nor a filter keeps it away.`,
  };
}

const REASONS: Readonly<Record<string, string>> = { operator: 'blocked' };

function filterSteps(verdicts: FilterVerdicts): Step[] {
  const stages: readonly Stage[] = ['schedule', 'fetch'];
  const steps: Step[] = stages.flatMap((stage) => {
    const verdict = verdicts.stages.get(stage);
    if (!verdict) return [];
    const { accepted, text } = verdict;
    return {
      part: `${stage}-filter`,
      verdict: accepted === undefined ? 'unknown' : accepted ? 'passes' : 'stops',
      fact: `${text}: ${becauseOf(verdicts, stage) || 'nothing to ask'}`,
    };
  });
  const listed: Step[] = [{ part: 'blacklist', verdict: 'stops', fact: 'the blacklist has it' }];
  return verdicts.blacklisted ? [...steps, ...listed] : steps;
}
