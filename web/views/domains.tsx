/** The domains of a crawl, and one of them. */
import { useState } from 'preact/hooks';
import { type Answer, api, queryOf, useLoad } from '../api.ts';
import { count, duration, moment, share } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Action, Fact, Notice, Section, Table } from '../parts.tsx';
import { LogLines } from './log.tsx';

const PAGE = 50;

export function DomainsView(props: ViewProps) {
  const domain = props.params.get('domain');
  return domain === null ? <List {...props} /> : <One {...props} domain={domain} />;
}

function List({ crawl, at }: ViewProps) {
  const [sort, setSort] = useState('rank');
  const [reverse, setReverse] = useState(false);
  const [contains, setContains] = useState('');
  const [state, setState] = useState('any');
  const [from, setFrom] = useState(0);
  const query = queryOf({ sort, reverse, contains, state, from, count: PAGE });
  const { value, error, reading, isLoading } = useLoad(
    `/crawls/${encodeURIComponent(crawl)}/domains${query}`,
    15_000,
  );
  const onSort = (word: string) => {
    setReverse(word === sort ? !reverse : false);
    setSort(word);
    setFrom(0);
  };
  const number = (name: string, title: string, word = name) => ({
    ...{ name, title, sort: word, isNumber: true },
    show: (row: Answer) => count(row[name]),
  });
  return (
    <Section
      title="Domains"
      side={
        value && (
          <small class="quiet">
            {count(value.matching)} of {count(value.domains)}, ranked by {value.by}
          </small>
        )
      }
    >
      <form class="fields" onSubmit={(event) => event.preventDefault()}>
        <label>
          Name contains
          <input
            type="search"
            value={contains}
            onInput={(event) => {
              setContains((event.target as HTMLInputElement).value);
              setFrom(0);
            }}
          />
        </label>
        <label>
          State
          <select
            value={state}
            onChange={(event) => {
              setState((event.target as HTMLSelectElement).value);
              setFrom(0);
            }}
          >
            <option value="any">any</option>
            <option value="blocked">blocked</option>
            <option value="trusted">trusted</option>
            <option value="set">budget set</option>
            <option value="exchange">exchanges links</option>
          </select>
        </label>
      </form>
      <Notice error={error} reading={reading} isLoading={isLoading && !value} />
      {value && (
        <>
          <Table
            label="Domains"
            rows={value.rows}
            sort={sort}
            onSort={onSort}
            empty="No domain matches."
            columns={[
              number('rank', 'rank'),
              {
                name: 'domain',
                title: 'domain',
                sort: 'domain',
                show: ({ domain }) => <a href={at('domains', { domain })}>{domain}</a>,
              },
              number('inDegree', 'linked from', 'in'),
              number('supporters', 'supporters'),
              number('budget', 'budget'),
              number('fetched', 'fetched'),
              number('queued', 'queued'),
              {
                name: 'spam',
                title: 'spam',
                sort: 'spam',
                isNumber: true,
                show: ({ spam }) => share(spam),
              },
              { name: 'state', title: 'state', show: (row) => row.state },
            ]}
          />
          <p class="pager">
            <button
              type="button"
              disabled={from === 0}
              onClick={() => setFrom(Math.max(0, from - PAGE))}
            >
              Previous
            </button>
            <span>
              {count(from + 1)} to {count(Math.min(from + PAGE, value.matching))}
            </span>
            <button
              type="button"
              disabled={from + PAGE >= value.matching}
              onClick={() => setFrom(from + PAGE)}
            >
              Next
            </button>
          </p>
        </>
      )}
    </Section>
  );
}

function One({ crawl, domain, at }: ViewProps & { readonly domain: string }) {
  const path = `/crawls/${encodeURIComponent(crawl)}/domains/${encodeURIComponent(domain)}`;
  const { value, error, reading, isLoading, again } = useLoad(path);
  const [budget, setBudget] = useState('');
  const decide = (body: object) => api(path, body, 'PUT');
  if (!value) return <Notice error={error} reading={reading} isLoading={isLoading} />;
  const { row, hosts, captures, log } = value;
  return (
    <>
      <p>
        <a href={at('domains')}>All domains</a>
      </p>
      <Section title={domain} side={<a href={at('graph', { domain })}>Links to and from it</a>}>
        {row ? (
          <dl class="facts">
            <Fact title="Rank" sub={`first seen ${moment(row.firstSeen)}`}>
              {count(row.rank)}
            </Fact>
            <Fact
              title="Linked from"
              sub={row.supporters === undefined ? undefined : `${count(row.supporters)} supporters`}
            >
              {count(row.inDegree)} domains
            </Fact>
            <Fact title="Budget" sub="URLs per round">
              {count(row.budget)}
            </Fact>
            <Fact title="Fetched">{count(row.fetched)}</Fact>
            <Fact title="Queued" sub="skipped and failed included">
              {count(row.queued)}
            </Fact>
            <Fact title="Spam">{share(row.spam)}</Fact>
            <Fact title="Decision">
              {value.decision === undefined ? 'none' : String(value.decision)}
            </Fact>
          </dl>
        ) : (
          <p class="quiet">
            The crawl has no record of this domain yet. Decision: {String(value.decision ?? 'none')}
            .
          </p>
        )}
        <div class="buttons">
          <Action
            label="Block"
            kind="danger"
            confirm={`Fetch nothing more from ${domain}?`}
            act={() => decide({ decision: 'block' })}
            onDone={again}
          />
          <Action label="Trust" act={() => decide({ decision: 'trust' })} onDone={again} />
          <label>
            Budget{' '}
            <input
              size={8}
              value={budget}
              onInput={(event) => setBudget((event.target as HTMLInputElement).value)}
              placeholder="5000"
            />
          </label>
          <Action
            label="Set budget"
            act={() => decide({ decision: 'budget', budget })}
            onDone={again}
          />
          <Action label="Clear" act={() => decide({ decision: 'clear' })} onDone={again} />
        </div>
      </Section>
      <Section title="Hosts in memory">
        <Table
          label="Hosts of the domain"
          rows={hosts}
          empty="None at the last checkpoint."
          columns={[
            { name: 'host', title: 'host', show: ({ host }) => host },
            { name: 'address', title: 'address', show: ({ addresses }) => addresses[0] ?? '–' },
            {
              name: 'fetched',
              title: 'fetched',
              isNumber: true,
              show: ({ fetched }) => count(fetched),
            },
            {
              name: 'queued',
              title: 'queued',
              isNumber: true,
              show: ({ queued, hasBacklog }) => `${count(queued)}${hasBacklog ? ' +' : ''}`,
            },
            { name: 'ready', title: 'ready at', show: ({ readyAt }) => moment(readyAt) },
            {
              name: 'crawlDelay',
              title: 'Crawl-delay',
              isNumber: true,
              show: ({ crawlDelay }) => (crawlDelay > 0 ? duration(crawlDelay) : '–'),
            },
            {
              name: 'time',
              title: 'response',
              isNumber: true,
              show: ({ responseTime }) => duration(responseTime),
            },
            {
              name: 'robots',
              title: 'robots.txt',
              show: ({ robots }) =>
                robots.map(({ origin, expiresAt }: Answer) => (
                  <a key={origin} href={at('archive', { prefix: `${origin}/robots.txt` })}>
                    valid until {moment(expiresAt)}
                  </a>
                )),
            },
            { name: 'why', title: 'state', show: (host) => hostState(host) },
          ]}
        />
      </Section>
      <Section
        title="Last responses"
        side={<a href={at('archive', { prefix: `http://${domain}/` })}>All captures</a>}
      >
        <Table
          label="Captures of the domain"
          rows={captures}
          empty="None."
          columns={[
            { name: 'time', title: 'time', show: ({ timestamp }) => moment(timestamp) },
            { name: 'status', title: 'status', show: ({ status }) => status },
            {
              name: 'url',
              title: 'URL',
              isLong: true,
              show: ({ url, timestamp }) => (
                <a href={at('archive', { url, time: timestamp })}>{url}</a>
              ),
            },
          ]}
        />
      </Section>
      <Section title="Events">
        <LogLines lines={log} />
      </Section>
    </>
  );
}

export function hostState({ givenUp, failures, robots, readyAt }: Answer): string {
  if (givenUp) return `given up: ${givenUp.fault}, until ${moment(givenUp.until)}`;
  if (robots?.some((entry: Answer) => entry.isUnreachable)) return 'robots.txt cannot be fetched';
  if (failures > 0) return `${failures} failures in a row`;
  return readyAt > Date.now() ? `paused for ${duration(readyAt - Date.now())}` : '';
}
