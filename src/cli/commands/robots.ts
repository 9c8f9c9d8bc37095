/**
 * `drumlin robots`: print whether a crawler may fetch a URL, and the line of robots.txt that
 * decides. For authors of robots.txt files and for users who wonder why a URL is skipped.
 */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DrumlinError, EXIT, systemCode } from '../../base/errors.ts';
import type { RobotsFile, RobotsReport } from '../../robots/report.ts';
import { jsonLine, printable } from '../screen/printable.ts';

interface WebFlags {
  readonly contact?: string;
  readonly allowPrivate?: boolean;
  readonly dns?: string;
  readonly ca?: string;
  readonly insecure?: boolean;
}

interface RobotsFlags extends WebFlags {
  readonly agent: string;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  drumlin robots robots.txt --agent my-crawler /private/ "/search?q=x"
  drumlin robots https://example.org https://example.org/page --contact you@example.com
  drumlin robots http://localhost:8000 /admin --allow-private --json

Exit codes: 0 all URLs are allowed, ${EXIT.denied} at least one is denied.
`;

export function register(program: Command): void {
  program
    .command('robots')
    .description('print whether URLs may be fetched, and which line of robots.txt decides')
    .argument(
      '<robots>',
      'a file, - for standard input, or a URL; a URL without a path means its /robots.txt',
    )
    .argument('<urls...>', 'URLs, or paths such as /a?b=c')
    .option(
      '--agent <name>',
      'the crawler to check for: a product token or a whole User-Agent line',
      'drumlin',
    )
    .option('--json', 'print one object, with the group, the delay and the sitemaps')
    .option('--contact <text>', 'your URL or e-mail address; public sites need it')
    .option('--allow-private', 'also fetch from loopback and private addresses')
    .option('--dns <list>', 'name servers, host:port (default: those of the system)')
    .option('--ca <file>', 'file with certificate authorities (PEM) to trust in addition')
    .option('--insecure', 'accept any certificate')
    .addHelpText('after', EXAMPLES)
    .action(async (source: string, urls: string[], flags: RobotsFlags) => {
      const report = await judge(source, urls, flags);
      process.stdout.write(flags.json ? jsonLine(report) : asText(report));
      if (report.results.some(({ allowed }) => !allowed)) process.exitCode = EXIT.denied;
    });
}

async function judge(source: string, urls: string[], flags: RobotsFlags): Promise<RobotsReport> {
  const { productTokenOf } = await import('../../fetch/identity.ts');
  const { robotsReport, robotsTarget } = await import('../../robots/report.ts');
  const agent = flags.agent === '*' ? '*' : productTokenOf(flags.agent);
  const fileUrl = source.includes('://') ? await robotsUrl(source) : undefined;
  // Reject bad input before sending a request.
  const targets = urls.map((url) => robotsTarget(url, fileUrl));
  const file =
    fileUrl === undefined ? await fromDisk(source, agent) : await fromWeb(fileUrl, agent, flags);
  return robotsReport(file, targets, agent);
}

async function fromDisk(path: string, agent: string): Promise<RobotsFile> {
  const { parseRobots } = await import('../../robots/parse-robots.ts');
  try {
    const bytes = readFileSync(path === '-' ? 0 : path);
    return {
      rules: parseRobots(bytes, agent),
      bytes,
      source: path === '-' ? 'standard input' : path,
    };
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function fromWeb(url: string, agent: string, flags: WebFlags): Promise<RobotsFile> {
  const { fetchRobots } = await import('../../fetch/robots-fetch.ts');
  const parts = await webParts(flags);
  try {
    return await fetchRobots(url, agent, parts);
  } catch (error) {
    if ((error as { fault?: unknown }).fault !== 'address-refused') throw error;
    throw new DrumlinError(
      'ADDRESS',
      `${url} is not fetched: ${(error as Error).message}.`,
      'Add --allow-private for a site on this machine or network, --contact for a public one.',
    );
  } finally {
    parts.resolver.close();
    await parts.client.close();
  }
}

async function robotsUrl(source: string): Promise<string> {
  const { canonicaliseOrReason } = await import('../../url/canonical.ts');
  const url = canonicaliseOrReason(source);
  if (typeof url === 'string') return /^\w+:\/\/[^/]*\/$/.test(url) ? `${url}robots.txt` : url;
  throw new DrumlinError(
    'URL',
    `${JSON.stringify(source)} cannot be fetched: ${url.fact}`,
    'Write it like https://example.org/robots.txt, or name a file.',
  );
}

/** Fetches as drumlin for every `--agent`: it never impersonates another crawler. */
async function webParts(flags: WebFlags) {
  const { guardFor } = await import('../../net/address-guard.ts');
  const { createResolver } = await import('../../net/dns.ts');
  const { createHttpClient } = await import('../../fetch/http-client.ts');
  const { createIdentity } = await import('../../fetch/identity.ts');
  const { VERSION } = await import('../../base/version.ts');
  const words = (text: string | undefined) => (text ?? '').split(/[\s,]+/).filter(Boolean);
  const contact = words(flags.contact ?? process.env.DRUMLIN_CONTACT);
  const identity = createIdentity({ version: VERSION, contact });
  const guard = guardFor(identity, { allowPrivate: flags.allowPrivate === true });
  const client = createHttpClient({
    identity,
    guard,
    keepAlive: { perOrigin: 0 },
    insecure: flags.insecure === true,
    ...(flags.ca !== undefined && { tls: { ca: authorities(flags.ca) } }),
  });
  return { guard, client, resolver: createResolver({ servers: words(flags.dns) }) };
}

function authorities(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): DrumlinError {
  const why =
    systemCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${systemCode(error)})`;
  return new DrumlinError(
    'FILE',
    `${path} ${why}.`,
    'Name a file, or a URL with http:// or https://.',
  );
}

/** One line per URL. */
function asText({ results }: RobotsReport): string {
  const longest = results.reduce((most, { url }) => Math.max(most, printable(url).length), 0);
  const width = Math.min(80, longest);
  return results
    .map(({ url, allowed, line, text, why }) => {
      const decided = line === null ? '' : `line ${line}: ${text}  `;
      const reason = line === null ? why : `(${why})`;
      return `${allowed ? 'allow' : 'deny '}  ${printable(url).padEnd(width)}  ${printable(decided + reason)}\n`;
    })
    .join('');
}
