/**
 * The archive: captures in pages; one as text, head, record, or in a sandboxed frame; two compared.
 */
import { useState } from 'preact/hooks';
import { type Answer, queryOf, useLoad } from '../api.ts';
import { bytes, moment } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Notice, Section, Table } from '../parts.tsx';

export function ArchiveView(props: ViewProps) {
  const [url, time] = [props.params.get('url'), props.params.get('time')];
  return url !== null && time !== null ? (
    <One key={url + time} {...props} url={url} time={time} />
  ) : (
    <>
      <FullText {...props} />
      <List {...props} />
    </>
  );
}

/** Full text; nothing where there is no index. */
function FullText({ crawl, params, go, at }: ViewProps) {
  const asked = params.get('words') ?? '';
  const [typed, setTyped] = useState(asked);
  const { value, error, reading, isLoading } = useLoad(
    `/crawls/${encodeURIComponent(crawl)}/search${queryOf({ query: asked })}`,
  );
  if (!error && !value?.indexes.length) return null;
  return (
    <Section title="Full text">
      <form
        class="fields wide"
        onSubmit={(event) => {
          event.preventDefault();
          go('archive', typed === '' ? {} : { words: typed });
        }}
      >
        <label>
          Words
          <input
            type="search"
            value={typed}
            placeholder={'"a phrase" or words'}
            onInput={(event) => setTyped((event.target as HTMLInputElement).value)}
          />
        </label>
        <button type="submit" class="main">
          Find
        </button>
      </form>
      <Notice error={error} reading={reading} isLoading={isLoading && asked !== ''} />
      {asked !== '' && value && !isLoading && (
        <ol class="found" aria-label="Pages found">
          {value.results.length === 0 && <li class="quiet">No page has these words.</li>}
          {value.results.map(({ url, title, snippet, stored, versions }: Answer) => (
            <li key={url}>
              <a href={at('archive', { url, time: digitsOf(stored) })}>{title || url}</a>
              <small class="quiet">
                {url} · {moment(stored)}
                {versions > 1 ? ` · ${versions} versions` : ''}
              </small>
              {snippet !== '' && <p>{snippet}</p>}
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}

/** A time as an archive names it: 14 digits. */
const digitsOf = (time: number): string =>
  new Date(time).toISOString().replace(/\D/g, '').slice(0, 14);

function List({ crawl, params, go, at }: ViewProps) {
  const [fields, setFields] = useState({
    prefix: params.get('prefix') ?? '',
    status: params.get('status') ?? '',
    type: params.get('type') ?? '',
    from: params.get('from') ?? '',
    to: params.get('to') ?? '',
  });
  const given = Object.fromEntries(
    [...params].filter(([name, value]) => value !== '' && name !== 'words'),
  );
  const { value, error, reading, isLoading } = useLoad(
    `/crawls/${encodeURIComponent(crawl)}/captures${queryOf({ count: 50, ...given })}`,
  );
  const field = (name: keyof typeof fields, title: string, hint: string) => (
    <label>
      {title}
      <input
        value={fields[name]}
        placeholder={hint}
        onInput={(event) =>
          setFields({ ...fields, [name]: (event.target as HTMLInputElement).value })
        }
      />
    </label>
  );
  const filled = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));
  const { after: _, ...chosen } = given;
  const download = (format: string) =>
    `/api/v1/crawls/${encodeURIComponent(crawl)}/download${queryOf({ ...chosen, format })}`;
  return (
    <Section
      title="Captures"
      side={
        value?.captures.length > 0 && (
          <small>
            Download {Object.keys(chosen).length > 0 ? 'all that match' : 'all'} as{' '}
            <a href={download('warc')} download>
              WARC
            </a>{' '}
            or{' '}
            <a href={download('wacz')} download>
              WACZ
            </a>
          </small>
        )
      }
    >
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          go('archive', filled);
        }}
      >
        {field('prefix', 'URL begins with', 'https://example.org/')}
        {field('status', 'Status', '200, 4xx')}
        {field('type', 'Type', 'text/html')}
        {field('from', 'From', '20260314')}
        {field('to', 'To', '2026')}
        <button type="submit" class="main">
          Search
        </button>
      </form>
      <Notice error={error} reading={reading} isLoading={isLoading && !value} />
      {value && (
        <>
          <Table
            label="Captures"
            rows={value.captures}
            empty="No capture matches."
            columns={[
              { name: 'time', title: 'time', show: ({ timestamp }) => moment(timestamp) },
              { name: 'status', title: 'status', show: ({ status }) => status || '–' },
              {
                name: 'mime',
                title: 'type',
                show: ({ mime }) => (mime === 'warc/revisit' ? 'revisit' : mime),
              },
              {
                name: 'size',
                title: 'stored',
                isNumber: true,
                show: ({ length }) => bytes(length),
              },
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
          <p class="pager">
            {given.after !== undefined && (
              <button type="button" onClick={() => go('archive', filled)}>
                First page
              </button>
            )}
            {value.next && (
              <button type="button" onClick={() => go('archive', { ...filled, after: value.next })}>
                Next
              </button>
            )}
          </p>
        </>
      )}
    </Section>
  );
}

const TABS = ['Page', 'Text', 'Head', 'Record', 'Compare'] as const;

function One({
  crawl,
  url,
  time,
  at,
}: ViewProps & { readonly url: string; readonly time: string }) {
  const [tab, setTab] = useState<(typeof TABS)[number]>('Page');
  const base = `/crawls/${encodeURIComponent(crawl)}`;
  const { value, error, reading, isLoading } = useLoad(`${base}/capture${queryOf({ url, time })}`);
  if (!value) return <Notice error={error} reading={reading} isLoading={isLoading} />;
  const { capture } = value;
  const raw = `/api/v1${base}/capture/raw${queryOf({ url, time })}`;
  const file = (format: string) => `/api/v1${base}/download${queryOf({ url, time, format })}`;
  return (
    <Section title={url} side={<a href={at('url', { url })}>Inspect</a>}>
      <p class="quiet">
        {moment(time)} UTC · status {capture.status || '–'} · {value.type || 'no type'} ·{' '}
        {bytes(value.bytes)}
        {value.isRevisit ? ' · revisit: the body is that of an earlier capture' : ''} · download:{' '}
        <a href={raw} download>
          response
        </a>
        ,{' '}
        <a href={file('warc')} download>
          WARC
        </a>
        ,{' '}
        <a href={file('wacz')} download>
          WACZ
        </a>{' '}
        · <a href={at('archive')}>all captures</a>
      </p>
      <div class="tabs" role="tablist" aria-label="How to show it">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === tab}
            onClick={() => setTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tab}>
        {tab === 'Page' && (
          <>
            <p class="quiet">
              Without scripts and without network: what the page loads from elsewhere is missing.
            </p>
            <iframe
              title={`The archived page ${url}`}
              sandbox=""
              referrerPolicy="no-referrer"
              src={`${location.protocol}//${location.hostname}:${value.frame.port}${value.frame.path}`}
            />
          </>
        )}
        {tab === 'Text' && (
          <pre tabIndex={0}>
            {value.text}
            {value.isCut ? '\n… (cut)' : ''}
          </pre>
        )}
        {tab === 'Head' && <pre tabIndex={0}>{value.head}</pre>}
        {tab === 'Record' && (
          <pre tabIndex={0}>
            {value.warc.map(([name, text]: [string, string]) => `${name}: ${text}`).join('\n')}
            {'\n'}
            {capture.filename} at byte {capture.offset}
          </pre>
        )}
        {tab === 'Compare' && <Compare base={base} url={url} time={time} />}
      </div>
    </Section>
  );
}

function Compare({ base, url, time }: { base: string; url: string; time: string }) {
  const [other, setOther] = useState('');
  const { value: all } = useLoad(`${base}/captures${queryOf({ url, count: 200 })}`);
  const others = (all?.captures ?? []).filter(
    (one: Answer) => one.url === url && one.timestamp !== time,
  );
  const path = other === '' ? undefined : `${base}/compare${queryOf({ url, a: other, b: time })}`;
  const { value, error } = useLoad(path);
  if (others.length === 0) return <p class="quiet">There is no other capture of this URL.</p>;
  return (
    <>
      <label>
        Compare with{' '}
        <select
          value={other}
          onChange={(event) => setOther((event.target as HTMLSelectElement).value)}
        >
          <option value="">choose a time</option>
          {others.map(({ timestamp }: Answer) => (
            <option key={timestamp} value={timestamp}>
              {moment(timestamp)}
            </option>
          ))}
        </select>
      </label>
      <Notice error={error} />
      {value && (
        <pre tabIndex={0} class="diff">
          {value.pieces.map(({ kind, text }: Answer, i: number) =>
            kind === 'old' ? (
              <del key={i}>{text}</del>
            ) : kind === 'new' ? (
              <ins key={i}>{text}</ins>
            ) : (
              <span key={i}>{text}</span>
            ),
          )}
        </pre>
      )}
    </>
  );
}
