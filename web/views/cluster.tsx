/** The views of a cluster: what its book and its workers say. */
import { useState } from 'preact/hooks';
import { type Answer, api, queryOf, type Row, useLoad } from '../api.ts';
import { bytes, count, duration } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Action, Fact, Notice, Section, Table } from '../parts.tsx';
import { Limits, OverTime, Tallies } from './overview.tsx';

const baseOf = (crawl: string): string => `/crawls/${encodeURIComponent(crawl)}`;

export function ClusterOverviewView({ crawl, live, at }: ViewProps) {
  const { status } = live;
  const { value, error } = useLoad(`${baseOf(crawl)}/history`, 10_000);
  if (!status) return <Notice error={live.fault} isLoading />;
  const { counters, rate, committed, workers, agents } = status;
  const living = workers.filter(({ silent }: Answer) => !silent).length;
  const free = agents.filter(({ worker, isDone }: Answer) => worker === '' && !isDone).length;
  return (
    <>
      <dl class="facts">
        <Fact title="Pages" sub={rate && `${rate.pages.toFixed(1)} per second`}>
          {count(counters.pages)}
        </Fact>
        <Fact title="Data" sub={rate && `${bytes(rate.bytes)} per second`}>
          {bytes(counters.bytes)}
        </Fact>
        <Fact title="Workers" sub={`${bytes(status.memory)}, ${count(status.cpuSeconds)} s CPU`}>
          {count(living)}
        </Fact>
        <Fact
          title="Agents"
          sub={free > 0 ? `${count(free)} without a worker` : 'all have a worker'}
        >
          {count(agents.length)}
        </Fact>
        <Fact title="Committed" sub={`${count(committed.pages)} pages`}>
          {committed.oldest ? `${age(committed.oldest)} ago` : 'not all yet'}
        </Fact>
        <Fact title="Queued" sub={`${count(status.onDisk)} on disk`}>
          {count(status.waiting)}
        </Fact>
        <Fact title="Front" sub={`${count(status.fetching)} requests under way`}>
          {count(status.front)} hosts
        </Fact>
        <Fact title="Hosts" sub={`of ${count(status.domains)} domains`}>
          {count(status.hosts)}
        </Fact>
      </dl>
      <Limits limits={status.limits} />
      <Workers crawl={crawl} workers={workers} />
      <Agents agents={agents} />
      <OverTime stretches={value?.stretches ?? []} error={error} />
      <p class="quiet">
        Plots begin when this console was opened. Counts by status are those of the workers since
        they started. <a href={at('log')}>What has happened</a>
      </p>
      <Tallies counters={counters} />
    </>
  );
}

const age = (time: number): string => duration(Math.max(0, Date.now() - time));

function Workers({ crawl, workers }: { crawl: string; workers: readonly Row[] }) {
  const number = (name: string, title: string) => ({
    ...{ name, title, isNumber: true },
    show: (row: Row) => count(row[name]),
  });
  return (
    <Section title="Workers">
      <Table
        label="Workers"
        rows={workers}
        empty="No worker is there. Start one: drumlin cluster join"
        columns={[
          { name: 'worker', title: 'worker', show: ({ worker }) => worker },
          { name: 'host', title: 'machine', show: ({ host }) => host },
          { name: 'state', title: 'state', show: workerState },
          { name: 'agents', title: 'agents', show: ({ agents }) => agents.join(' ') || 'none' },
          number('pages', 'pages since its start'),
          number('queued', 'queued'),
          number('fetching', 'requests'),
          {
            name: 'memory',
            title: 'memory',
            isNumber: true,
            show: ({ memory }) => bytes(memory),
          },
          {
            name: 'drain',
            title: 'drain',
            show: ({ worker, draining, silent }) =>
              draining || silent ? null : (
                <Action
                  label={`Drain ${worker}`}
                  confirm={`Let ${worker} give its agents to others, and end?`}
                  act={() =>
                    api(`${baseOf(crawl)}/workers/${encodeURIComponent(worker)}`, {
                      action: 'drain',
                    })
                  }
                />
              ),
          },
        ]}
      />
    </Section>
  );
}

function workerState({ leads, draining, silent, answers }: Row): string {
  if (silent) return 'gone: it has not renewed its entry';
  const words = [leads && 'leads', draining && 'draining', !answers && 'gives no report'];
  return words.filter(Boolean).join(', ') || 'runs';
}

function Agents({ agents }: { agents: readonly Row[] }) {
  return (
    <Section
      title="Agents"
      side={<small class="quiet">a takeover raises the epoch; a commit makes pages safe</small>}
    >
      <Table
        label="Agents"
        rows={agents}
        empty="There is none yet."
        columns={[
          { name: 'agent', title: 'agent', isNumber: true, show: ({ agent }) => agent },
          {
            name: 'worker',
            title: 'worker',
            show: ({ worker, isDone }) =>
              worker || (isDone ? 'has concluded' : <b class="bad">none</b>),
          },
          { name: 'epoch', title: 'epoch', isNumber: true, show: ({ epoch }) => epoch },
          {
            name: 'commit',
            title: 'committed',
            show: ({ committedAt }) => (committedAt ? `${age(committedAt)} ago` : 'not yet'),
          },
          { name: 'pages', title: 'pages', isNumber: true, show: ({ pages }) => count(pages) },
          { name: 'now', title: 'up to now', isNumber: true, show: ({ now }) => count(now) },
          { name: 'queued', title: 'queued', isNumber: true, show: ({ queued }) => count(queued) },
          { name: 'idle', title: 'idle', show: ({ idle }) => (idle ? 'idle' : '') },
        ]}
      />
    </Section>
  );
}

export function ClusterDomainsView({ crawl, params, at }: ViewProps) {
  const [contains, setContains] = useState('');
  const [domain, setDomain] = useState(params.get('domain') ?? '');
  const [budget, setBudget] = useState('');
  const path = `${baseOf(crawl)}/domains`;
  const { value, error, isLoading, again } = useLoad(`${path}${queryOf({ contains })}`, 10_000);
  const decide = (body: object) => () => api(`${path}/${encodeURIComponent(domain)}`, body, 'PUT');
  const input = (set: (text: string) => void) => (event: Event) =>
    set((event.target as HTMLInputElement).value);
  return (
    <>
      <Section title="Decide about a domain">
        <div class="buttons">
          <label>
            Domain <input value={domain} placeholder="example.com" onInput={input(setDomain)} />
          </label>
          <Action label="Block" kind="danger" act={decide({ decision: 'block' })} onDone={again} />
          <Action label="Trust" act={decide({ decision: 'trust' })} onDone={again} />
          <label>
            Budget <input size={8} value={budget} placeholder="5000" onInput={input(setBudget)} />
          </label>
          <Action label="Set budget" act={decide({ decision: 'budget', budget })} onDone={again} />
          <Action label="Clear" act={decide({ decision: 'clear' })} onDone={again} />
        </div>
      </Section>
      <Section
        title="Domains"
        side={
          <small class="quiet">
            most pages first, the best of each worker; the records of all domains are in the folders
            of the workers
          </small>
        }
      >
        <form class="fields" onSubmit={(event) => event.preventDefault()}>
          <label>
            Name contains <input type="search" value={contains} onInput={input(setContains)} />
          </label>
        </form>
        <Notice error={error} isLoading={isLoading && !value} />
        <Table
          label="Domains"
          rows={value?.rows ?? []}
          empty="No domain matches."
          columns={[
            {
              name: 'domain',
              title: 'domain',
              show: (row) => (
                <a
                  href={at('domains', { domain: row.domain })}
                  onClick={() => setDomain(row.domain)}
                >
                  {row.domain}
                </a>
              ),
            },
            { name: 'pages', title: 'pages', isNumber: true, show: ({ pages }) => count(pages) },
            { name: 'rank', title: 'rank', isNumber: true, show: ({ rank }) => count(rank) },
            { name: 'budget', title: 'budget', isNumber: true, show: (row) => count(row.budget) },
            { name: 'decision', title: 'decision', show: ({ decision }) => String(decision ?? '') },
          ]}
        />
      </Section>
    </>
  );
}

export function ClusterControlView({ crawl, live }: ViewProps) {
  const control = (action: string) => () => api(`${baseOf(crawl)}/control`, { action });
  const { status } = live;
  if (!status) return <Notice error={live.fault} isLoading />;
  return (
    <Section title="This cluster">
      <div class="buttons">
        {status.state === 'ended' ? (
          <Action label="Run again" kind="main" act={control('run')} />
        ) : (
          <>
            {status.paused ? (
              <Action label="Resume" kind="main" act={control('resume')} />
            ) : (
              <Action label="Pause" kind="main" act={control('pause')} />
            )}
            <Action
              label="Stop"
              kind="danger"
              confirm="Stop the crawl on all workers? Everything is kept."
              act={control('stop')}
            />
          </>
        )}
      </div>
      <p class="quiet">
        Every agent acts within a few seconds. A crawl that runs again needs workers: drumlin
        cluster join. A single worker is drained in the overview.
      </p>
    </Section>
  );
}

/** The route that each of these views would ask. */
const ROUTES: Readonly<Record<string, string>> = {
  hosts: 'hosts',
  archive: 'captures',
  graph: 'graph?domain=example.com',
};

/** What needs files that the console of a cluster does not have: the server says where they are. */
export function ElsewhereView({ crawl, view }: ViewProps) {
  const { error, isLoading } = useLoad(`${baseOf(crawl)}/${ROUTES[view]}`);
  return (
    <Section title="Not in this console">
      {isLoading ? <Notice isLoading /> : <p>{error}</p>}
    </Section>
  );
}
