/** The domains that link to a domain: drawn, and side by side. */
import { useState } from 'preact/hooks';
import { type Answer, queryOf, useLoad } from '../api.ts';
import { count, share } from '../format.ts';
import type { ViewProps } from '../main.tsx';
import { Notice, Section, Table } from '../parts.tsx';

export function GraphView({ crawl, params, go, at }: ViewProps) {
  const domain = params.get('domain') ?? '';
  const [typed, setTyped] = useState(domain);
  const path =
    domain === '' ? undefined : `/crawls/${encodeURIComponent(crawl)}/graph${queryOf({ domain })}`;
  const { value, error, isLoading } = useLoad(path);
  return (
    <Section
      title="Domains that link to a domain"
      side={
        value && (
          <small class="quiet">
            {count(value.sources.length)} of {count(value.known)} shown, best rank first
          </small>
        )
      }
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
      <Notice error={error} isLoading={isLoading} />
      {value && (
        <>
          <Drawing value={value} hrefOf={(name) => at('graph', { domain: name })} />
          <Table
            label="Ranks side by side"
            rows={[value.domain, ...value.sources]}
            columns={[
              { name: 'rank', title: 'rank', isNumber: true, show: ({ rank }) => count(rank) },
              {
                name: 'domain',
                title: 'domain',
                show: (row) => <a href={at('domains', { domain: row.domain })}>{row.domain}</a>,
              },
              {
                name: 'in',
                title: 'linked from',
                isNumber: true,
                show: ({ inDegree }) => count(inDegree),
              },
              {
                name: 'supporters',
                title: 'supporters',
                isNumber: true,
                show: ({ supporters }) => count(supporters),
              },
              {
                name: 'budget',
                title: 'budget',
                isNumber: true,
                show: ({ budget }) => count(budget),
              },
              {
                name: 'fetched',
                title: 'fetched',
                isNumber: true,
                show: ({ fetched }) => count(fetched),
              },
              { name: 'spam', title: 'spam', isNumber: true, show: ({ spam }) => share(spam) },
            ]}
          />
        </>
      )}
    </Section>
  );
}

const [WIDTH, HEIGHT] = [900, 460];

/** The domain in the middle, those that link to it around it; the better ranked, the nearer. */
function Drawing({ value, hrefOf }: { value: Answer; hrefOf: (name: string) => string }) {
  const sources: Answer[] = value.sources.slice(0, 40);
  const places = sources.map((_, i) => {
    const angle = i * 2.399963; // the golden angle: no two lines fall together
    const radius = 0.35 + 0.62 * Math.sqrt((i + 1) / (sources.length + 1));
    return [
      WIDTH / 2 + (WIDTH / 2 - 90) * radius * Math.cos(angle),
      HEIGHT / 2 + (HEIGHT / 2 - 24) * radius * Math.sin(angle),
    ] as const;
  });
  const links: [number, number][] = value.links.filter(
    ([from, to]: [number, number]) => from < places.length && to < places.length,
  );
  return (
    <svg
      class="graph"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${sources.length} domains that link to ${value.domain.domain}`}
    >
      {links.map(([from, to], i) => (
        <line
          key={`l${i}`}
          class="weak"
          x1={places[from][0]}
          y1={places[from][1]}
          x2={places[to][0]}
          y2={places[to][1]}
        />
      ))}
      {places.map(([x, y], i) => (
        <line key={`c${i}`} x1={x} y1={y} x2={WIDTH / 2} y2={HEIGHT / 2} />
      ))}
      {places.map(([x, y], i) => (
        <a key={i} href={hrefOf(sources[i].domain)}>
          <circle cx={x} cy={y} r={3 + 2 * Math.log10(1 + sources[i].inDegree)} />
          <text x={x} y={y - 9}>
            {sources[i].domain}
          </text>
        </a>
      ))}
      <circle class="middle" cx={WIDTH / 2} cy={HEIGHT / 2} r={10} />
      <text class="middle" x={WIDTH / 2} y={HEIGHT / 2 - 16}>
        {value.domain.domain}
      </text>
    </svg>
  );
}
