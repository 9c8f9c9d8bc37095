/** DuckDB, pyarrow and warcio read what is written, if Python has them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exportIndex } from '../../src/corpus/columnar/export-index.ts';
import { COLUMNS } from '../../src/corpus/columns.ts';
import { exportCorpus } from '../../src/corpus/export.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { leftOut, needs, PYTHON } from '../left-out.ts';
import { writeCrawl } from './lab-archive.ts';

const page = (n: number) => ({
  url: `http://site${n % 3}.example/${n}`,
  body: Buffer.from(
    `<p>${`Sentence number ${n} of a page that has some words in it. `.repeat(8)}</p>`,
  ),
});

/** count-by-tld-page-host-domain.sql of cc-index-table, but for the name of the crawl. */
const PUBLISHED = `
SELECT COUNT(*) AS n_pages,
       url_host_tld AS tld,
       COUNT(DISTINCT url_host_name) AS n_hosts,
       COUNT(DISTINCT url_host_registered_domain) AS n_domains
FROM "ccindex"."ccindex"
WHERE crawl = 'my-crawl'
  AND subset = 'warc'
GROUP BY  url_host_tld
ORDER BY  n_pages DESC;
`;

const SCRIPT = `
import sys, json, gzip, duckdb, pyarrow.parquet as pq
corpus, index, query, archives = sys.argv[1:5]
rows = duckdb.sql(f"select id, url, file, \\"offset\\", words from '{corpus}/*.parquet'").fetchall()
for _, url, file, offset, _ in rows:
    with open(f"{archives}/{file}", 'rb') as f:
        f.seek(offset)
        head = gzip.GzipFile(fileobj=f).read(2000).decode('latin1')
    row = [r for r in rows if r[1] == url][0]
    assert f"<urn:uuid:{row[0]}>" in head and f"WARC-Target-URI: {url}" in head, head
import glob
tables = [pq.read_table(path) for path in sorted(glob.glob(f"{corpus}/*.parquet"))]
duckdb.sql('CREATE SCHEMA ccindex')
duckdb.sql(f"CREATE VIEW ccindex.ccindex AS SELECT * FROM read_parquet('{index}/*/*/*.parquet', hive_partitioning = true)")
published = duckdb.sql(open(query).read()).fetchall()
print(json.dumps([len(rows), sum(t.num_rows for t in tables), tables[0].schema.names, published]))
`;

describe('other readers', () => {
  test.skipIf(leftOut(needs.python('duckdb', 'pyarrow')))(
    'read the corpus and the index, and find the records',
    async () => {
      const folder = temporaryFolder();
      const dir = join(folder, 'my-crawl');
      await writeCrawl(
        dir,
        Array.from({ length: 25 }, (_, n) => page(n)),
        { agents: 2 },
      );
      const sizes = { segment: 1000, rowGroup: 3000, part: 1000, memory: 2 ** 20 };
      await exportCorpus([dir], join(folder, 'corpus'), { sizes });
      await exportIndex(dir, join(folder, 'index'));
      writeFileSync(join(folder, 'query.sql'), PUBLISHED);
      const args = ['corpus', 'index', 'query.sql', 'my-crawl/archive'].map((name) =>
        join(folder, name),
      );
      const said = JSON.parse(execFileSync(PYTHON, ['-c', SCRIPT, ...args]).toString());
      expect(said).toEqual([25, 25, COLUMNS.map(({ name }) => name), [[25, 'example', 3, 3]]]);
    },
  );

  test.skipIf(leftOut(needs.python('warcio')))('confirm every digest of an archive', async () => {
    const dir = temporaryFolder();
    await writeCrawl(
      dir,
      Array.from({ length: 25 }, (_, n) => page(n)),
      { agents: 2 },
    );
    const archives = readdirSync(join(dir, 'archive')).map((name) => join(dir, 'archive', name));
    expect(archives.length).toBe(2);
    const check = ['-m', 'warcio.cli', 'check', '--verbose'];
    const said = execFileSync(PYTHON, [...check, ...archives], { encoding: 'utf8' });
    expect(said.match(/digest pass/g)?.length).toBeGreaterThanOrEqual(50);
    expect(said).not.toMatch(/digest failed|no digest/);
  });
});
