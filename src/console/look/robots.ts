/** What robots.txt says of a URL: the file as archived, else the rules that the crawl keeps. */
import type { Capture } from '../../archive/index/cdxj.ts';
import { DrumlinError } from '../../base/errors.ts';
import type { Host } from '../../frontier/host.ts';
import { robotsFromResponse, UNREACHABLE } from '../../robots/parse-robots.ts';
import { robotsReport } from '../../robots/report.ts';
import { originOf, pathOf } from '../../url/parts.ts';
import { bodyIn } from './captures.ts';
import type { CrawlArchive } from './crawl-archive.ts';

export interface RobotsView {
  /** Undefined if the crawl has no robots.txt of the origin. */
  readonly allowed: boolean | undefined;
  /** The line that decided, or why there is none. */
  readonly fact: string;
}

export async function robotsOf(
  archived: CrawlArchive,
  url: string,
  productToken: string,
  host: Host | undefined,
): Promise<RobotsView> {
  const file = `${originOf(url)}/robots.txt`;
  const path = pathOf(url);
  const stored = host?.robots.get(originOf(url))?.rules;
  if (stored === UNREACHABLE)
    return { allowed: false, fact: `${file} cannot be fetched, which forbids everything` };
  const archive = await archived.open();
  const last: Capture | undefined = await archive?.nearest(file);
  if (archive && last?.url === file) {
    const record = await archive.page(last).catch((error: unknown) => {
      if (error instanceof DrumlinError) return undefined;
      throw error;
    });
    if (record) return judged(await bodyIn(record), Number(last.status), file, path, productToken);
  }
  if (!stored) return { allowed: undefined, fact: `the crawl has no ${file}` };
  const { allowed, line, rule } = stored.verdict(path);
  return {
    allowed,
    fact: line === undefined ? `no rule of ${file} applies` : `line ${line} of ${file}: ${rule}`,
  };
}

function judged(
  bytes: Uint8Array,
  status: number,
  source: string,
  path: string,
  productToken: string,
): RobotsView {
  const rules = robotsFromResponse(status, bytes, productToken);
  const isFile = status >= 200 && status < 300;
  const why = isFile ? {} : { why: `status ${status}` };
  const { results } = robotsReport(
    { rules, bytes: isFile ? bytes : new Uint8Array(), source, status, ...why },
    [{ url: path, path }],
    productToken,
  );
  const [{ allowed, line, text, why: reason }] = results;
  const fact = line === null ? reason : `line ${line} of ${source}: ${text} (${reason})`;
  return { allowed, fact };
}
