/** The domains that link to a domain, and those that it links to: drawn, and side by side. */
import { useState } from 'preact/hooks';
import { type Answer, queryOf, useLoad } from '../api.ts';
import { count, share } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { type Column, Notice, Section, Table } from '../parts.tsx';

export function GraphView({ crawl, params, go, at }: ViewProps) {
  const domain = params.get('domain') ?? '';
  const [typed, setTyped] = useState(domain);
  const path =
    domain === '' ? undefined : `/crawls/${encodeURIComponent(crawl)}/graph${queryOf({ domain })}`;
  const { value, error, reading, isLoading } = useLoad(path);
  return (
    <Section
      title="Links to and from a domain"
      side={<small class="quiet">best rank first; press a name to move there</small>}
    >
      <form
        class="fields wide"
        onSubmit={(event) => {
          event.preventDefault();
          go('graph', { domain: typed });
        }}
      >
        <label>
          Domain
          <input
            value={typed}
            placeholder="example.org"
            onInput={(event) => setTyped((event.target as HTMLInputElement).value)}
          />
        </label>
        <button type="submit" class="main">
          Draw
        </button>
      </form>
      <Notice error={error} reading={reading} isLoading={isLoading} />
      {value && (
        <>
          <Drawing value={value} hrefOf={(name) => at('graph', { domain: name })} />
          <h3>
            Links to it: {count(value.sources.length)} of {count(value.known)} domains
          </h3>
          <Table
            label="Ranks side by side"
            rows={[value.domain, ...value.sources]}
            columns={columnsOf(at)}
          />
          <h3>
            It links to: {count(value.targets.length)} of {count(value.linked)} domains
          </h3>
          <p class="quiet">
            {value.pagesRead === 0
              ? 'The archive has no page of it to read links from.'
              : `From a sample of ${count(value.pagesRead)} of its archived pages; domains without a record are counted, not shown.`}
          </p>
          {value.targets.length > 0 && (
            <Table
              label="Domains that it links to"
              rows={value.targets}
              columns={[
                ...columnsOf(at),
                {
                  name: 'pages',
                  title: 'pages that link',
                  isNumber: true,
                  show: ({ pages }) => count(pages),
                },
              ]}
            />
          )}
        </>
      )}
    </Section>
  );
}

const columnsOf = (at: ViewProps['at']): Column[] => [
  { name: 'rank', title: 'rank', isNumber: true, show: ({ rank }) => count(rank) },
  {
    name: 'domain',
    title: 'domain',
    show: ({ domain }) => <a href={at('domains', { domain })}>{domain}</a>,
  },
  { name: 'in', title: 'linked from', isNumber: true, show: ({ inDegree }) => count(inDegree) },
  {
    name: 'supporters',
    title: 'supporters',
    isNumber: true,
    show: ({ supporters }) => count(supporters),
  },
  { name: 'budget', title: 'budget', isNumber: true, show: ({ budget }) => count(budget) },
  { name: 'fetched', title: 'fetched', isNumber: true, show: ({ fetched }) => count(fetched) },
  { name: 'spam', title: 'spam', isNumber: true, show: ({ spam }) => share(spam) },
];

const [WIDTH, HEIGHT] = [900, 460];
/** Domains drawn on each side: more names would cover each other. */
const MOST_DRAWN = 24;
/** Half-rings around the middle, the inner ones for the better ranks: how many, how far. */
const RINGS = [
  [5, 0.42],
  [8, 0.7],
  [11, 0.98],
] as const;

type Point = readonly [x: number, y: number];

/** Places on one side of the middle: -1 for the left, 1 for the right. */
function placesOf(number: number, side: -1 | 1): Point[] {
  const places: Point[] = [];
  for (const [room, radius] of RINGS) {
    const here = Math.min(room, number - places.length);
    for (let i = 0; i < here; i++) {
      const angle = here === 1 ? 0 : -1.25 + (2.5 * i) / (here - 1);
      places.push([
        WIDTH / 2 + side * (WIDTH / 2 - 90) * radius * Math.cos(angle),
        HEIGHT / 2 + (HEIGHT / 2 - 24) * radius * Math.sin(angle),
      ]);
    }
  }
  return places;
}

/** The domain in the middle, those that link to it at its left, those it links to at its right. */
function Drawing({ value, hrefOf }: { value: Answer; hrefOf: (name: string) => string }) {
  const sources: Answer[] = value.sources.slice(0, MOST_DRAWN);
  const known = new Set(sources.map(({ domain }) => domain));
  const targets: Answer[] = value.targets
    .filter(({ domain }: Answer) => !known.has(domain))
    .slice(0, MOST_DRAWN);
  const mutual = new Set(value.targets.map(({ domain }: Answer) => domain));
  const [left, right] = [placesOf(sources.length, -1), placesOf(targets.length, 1)];
  const links: [number, number][] = value.links.filter(
    ([from, to]: [number, number]) => from < left.length && to < left.length,
  );
  return (
    <>
      <div class="drawing" tabIndex={0} role="region" aria-label="Drawing">
        <svg
          class="graph"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          role="group"
          aria-label={`${sources.length} domains that link to ${value.domain.domain}, and ${targets.length} that it links to`}
        >
          {links.map(([from, to], i) => (
            <line key={`l${i}`} class="weak" {...ends(left[from], left[to])} />
          ))}
          {left.map((place, i) => (
            <line
              key={`s${i}`}
              class={mutual.has(sources[i].domain) ? 'both' : ''}
              {...ends(place, MIDDLE)}
            />
          ))}
          {right.map((place, i) => (
            <line key={`t${i}`} class="out" {...ends(MIDDLE, place)} />
          ))}
          {left.map((place, i) => (
            <Node key={`a${i}`} place={place} row={sources[i]} hrefOf={hrefOf} />
          ))}
          {right.map((place, i) => (
            <Node key={`b${i}`} place={place} row={targets[i]} hrefOf={hrefOf} kind="out" />
          ))}
          <circle class="middle" cx={MIDDLE[0]} cy={MIDDLE[1]} r={10} />
          <text class="middle" x={MIDDLE[0]} y={MIDDLE[1] - 16}>
            {value.domain.domain}
          </text>
        </svg>
      </div>
      <p class="quiet">
        Left: domains that link to it; a thick line links back. Right: other domains that it links
        to.
      </p>
    </>
  );
}

const MIDDLE: Point = [WIDTH / 2, HEIGHT / 2];

const ends = ([x1, y1]: Point, [x2, y2]: Point) => ({ x1, y1, x2, y2 });

function Node({
  place: [x, y],
  row,
  hrefOf,
  kind = '',
}: {
  place: Point;
  row: Answer;
  hrefOf: (name: string) => string;
  kind?: string;
}) {
  return (
    <a href={hrefOf(row.domain)} class={kind}>
      <circle cx={x} cy={y} r={3 + 2 * Math.log10(1 + row.inDegree)} />
      <text x={x} y={y - 9}>
        {row.domain}
      </text>
    </a>
  );
}
