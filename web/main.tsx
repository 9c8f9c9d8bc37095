/** The console: which crawl, which view. The address after # holds both. */
import { type ComponentType, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Answer, type Live, useLive, useLoad } from './api.ts';
import { count } from './format.ts';
import { Notice, Section, Table } from './parts.tsx';
import { ArchiveView } from './views/archive.tsx';
import {
  ClusterControlView,
  ClusterDomainsView,
  ClusterOverviewView,
  ElsewhereView,
} from './views/cluster.tsx';
import { ControlView } from './views/control.tsx';
import { DomainsView } from './views/domains.tsx';
import { GraphView } from './views/graph.tsx';
import { HostsView } from './views/hosts.tsx';
import { LogView } from './views/log.tsx';
import { OverviewView } from './views/overview.tsx';
import { SettingsView } from './views/settings.tsx';
import { UrlView } from './views/url.tsx';

export interface ViewProps {
  readonly crawl: string;
  readonly view: string;
  readonly live: Live;
  readonly params: URLSearchParams;
  /** Opens a view with these parameters. */
  go(view: string, params?: Record<string, string>): void;
  /** The address of a view, for a link. */
  at(view: string, params?: Record<string, string>): string;
}

const VIEWS: Readonly<Record<string, readonly [title: string, view: ComponentType<ViewProps>]>> = {
  overview: ['Overview', OverviewView],
  domains: ['Domains', DomainsView],
  hosts: ['Hosts now', HostsView],
  url: ['URL inspector', UrlView],
  archive: ['Archive', ArchiveView],
  graph: ['Graph', GraphView],
  settings: ['Settings', SettingsView],
  control: ['Control', ControlView],
  log: ['Log', LogView],
};

/** The views of a cluster where they differ: the console has its book, and no files. */
const CLUSTER_VIEWS: Readonly<Record<string, ComponentType<ViewProps>>> = {
  overview: ClusterOverviewView,
  domains: ClusterDomainsView,
  hosts: ElsewhereView,
  archive: ElsewhereView,
  graph: ElsewhereView,
  control: ClusterControlView,
};

interface Place {
  readonly crawl: string;
  readonly view: string;
  readonly params: URLSearchParams;
}

function placeNow(): Place {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [crawl = '', view = 'overview'] = path.split('/').map(decodeURIComponent);
  return {
    crawl,
    view: Object.hasOwn(VIEWS, view) ? view : 'overview',
    params: new URLSearchParams(query),
  };
}

function addressOf(crawl: string, view: string, params: Record<string, string> = {}): string {
  const query = new URLSearchParams(params).toString();
  return `#/${encodeURIComponent(crawl)}/${view}${query === '' ? '' : `?${query}`}`;
}

function usePlace(): Place {
  const [place, setPlace] = useState(placeNow());
  useEffect(() => {
    const changed = () => setPlace(placeNow());
    addEventListener('hashchange', changed);
    changed(); // the address may have changed since the page was shown first
    return () => removeEventListener('hashchange', changed);
  }, []);
  return place;
}

function App() {
  const place = usePlace();
  const { value, error, isLoading } = useLoad('/crawls', 15_000);
  const crawls: Answer[] = value?.crawls ?? [];
  useEffect(() => {
    // Where the user is now: the list may come late.
    if (crawls.length === 1 && placeNow().crawl === '')
      location.hash = addressOf(crawls[0].id, 'overview');
  }, [crawls.length, place.crawl]);
  const live = useLive(place.crawl === '' ? undefined : place.crawl);
  const [title, ofCrawl] = VIEWS[place.view];
  const shown = crawls.find(({ id }) => id === place.crawl);
  const View = (shown?.kind === 'cluster' ? CLUSTER_VIEWS[place.view] : undefined) ?? ofCrawl;
  useEffect(() => {
    document.title = place.crawl === '' ? 'Drumlin' : `${title} · ${place.crawl} · Drumlin`;
  }, [title, place.crawl]);
  const go = (view: string, params?: Record<string, string>) => {
    location.hash = addressOf(place.crawl, view, params);
  };
  const at = (view: string, params?: Record<string, string>) =>
    addressOf(place.crawl, view, params);
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Head place={place} crawls={crawls} live={live} />
      {place.crawl !== '' && <Tabs place={place} />}
      <main id="main">
        {place.crawl === '' || !shown ? (
          <Crawls crawls={crawls} error={error} isLoading={isLoading} />
        ) : (
          <View
            key={`${place.crawl} ${place.view}`}
            crawl={place.crawl}
            view={place.view}
            live={live}
            params={place.params}
            go={go}
            at={at}
          />
        )}
      </main>
    </>
  );
}

function Head({ place, crawls, live }: { place: Place; crawls: readonly Answer[]; live: Live }) {
  const { status } = live;
  const { fault } = live;
  const known = status?.paused && status.state === 'running' ? 'paused' : status?.state;
  const state = fault === undefined ? (known ?? '…') : 'unreadable';
  return (
    <header class="head">
      <a class="brand" href="#/">
        Drumlin
      </a>
      {crawls.length > 0 && (
        <label>
          <span class="hidden">Crawl</span>
          <select
            value={place.crawl}
            onChange={(event) => {
              location.hash = addressOf((event.target as HTMLSelectElement).value, place.view);
            }}
          >
            <option value="">all crawls</option>
            {crawls.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      )}
      {place.crawl !== '' && (
        <>
          <span class={`state ${state} ${status?.trouble ? 'trouble' : ''}`}>{state}</span>
          <p class="sentence" role="status">
            {fault ?? status?.sentence ?? 'Waiting for the crawl …'}
          </p>
          {!live.isConnected && <span class="quiet">not connected</span>}
        </>
      )}
    </header>
  );
}

function Tabs({ place }: { place: Place }) {
  // On a phone the tabs are a row that scrolls.
  useEffect(() => {
    const current = document.querySelector('nav [aria-current=page]');
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [place.view]);
  return (
    <nav aria-label="Views">
      {Object.entries(VIEWS).map(([name, [title]]) => (
        <a
          key={name}
          href={addressOf(place.crawl, name)}
          aria-current={name === place.view ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

function Crawls({
  crawls,
  error,
  isLoading,
}: {
  crawls: readonly Answer[];
  error: string | undefined;
  isLoading: boolean;
}) {
  return (
    <Section title="Crawls">
      <Notice error={error} isLoading={isLoading && crawls.length === 0} />
      <Table
        label="Crawls"
        rows={crawls}
        empty="There is no crawl here yet."
        columns={[
          {
            name: 'id',
            title: 'crawl',
            show: ({ id }) => <a href={addressOf(id, 'overview')}>{id}</a>,
          },
          {
            name: 'state',
            title: 'state',
            show: ({ state, paused }) => (paused && state === 'running' ? 'paused' : state),
          },
          { name: 'pages', title: 'pages', isNumber: true, show: ({ pages }) => count(pages) },
          { name: 'sentence', title: 'how it is', isLong: true, show: ({ sentence }) => sentence },
        ]}
      />
    </Section>
  );
}

// The token has done its work: it need not stay in the address bar.
if (location.search !== '') history.replaceState(null, '', location.pathname + location.hash);
render(<App />, document.body);
