/**
 * Request headers for single hosts, such as bearer tokens, from a file of lines `host Name: value`.
 *
 * `host` is a name or an address. Without a port it covers all ports, without `https://` before it
 * both schemes. A header is sent to this host exactly: not to subdomains, not after a redirect to
 * another host. Its value is a secret: the archive has `[redacted]` in its place.
 */
import { DrumlinError } from '../base/errors.ts';
import { badLine, linesOf, readSecretFile } from './secret-file.ts';

type Header = readonly [name: string, value: string];

const FORM = 'host Name: value, for example "https://api.example.org Authorization: Bearer s3cret"';
const HOST = /^(https?:\/\/)?((?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d+)?)\/?$/i;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that belong to the connection, or that a setting of its own decides. */
const OURS =
  /^(?:host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|user-agent|from|proxy-.*)$/i;

export class HostHeaders {
  readonly #byPlace: ReadonlyMap<string, readonly Header[]>;

  constructor(byPlace: ReadonlyMap<string, readonly Header[]>) {
    this.#byPlace = byPlace;
  }

  /** The headers for a host and port; `authority` has the port only where it is not the usual. */
  headersFor(host: string, authority: string, secure: boolean): readonly Header[] {
    const scheme = secure ? 'https://' : 'http://';
    const port = authority === host ? `${host}:${secure ? 443 : 80}` : authority;
    return [host, port, scheme + host, scheme + port].flatMap(
      (place) => this.#byPlace.get(place) ?? [],
    );
  }
}

export async function readHostHeaders(
  path: string,
  warn: (sentence: string) => void,
): Promise<HostHeaders> {
  return parseHostHeaders(await readSecretFile(path, warn), path);
}

/** Errors name the `file`, and quote no value. */
export function parseHostHeaders(text: string, file: string): HostHeaders {
  const byPlace = new Map<string, Header[]>();
  for (const [line, number] of linesOf(text, (one) => /^\s*#/.test(one))) {
    const [, place, name, value] = /^\s*(\S+)\s+([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (value === undefined)
      throw badLine(file, number, 'The line has no host, name and value.', FORM);
    const [, scheme = '', authority] = HOST.exec(place) ?? [];
    if (authority === undefined) throw badLine(file, number, 'The first word is not a host.', FORM);
    if (!NAME.test(name) || !VALUE.test(value))
      throw badLine(file, number, 'The header contains characters that cannot be sent.', FORM);
    if (OURS.test(name)) throw ownHeader(file, number, name);
    const key = (scheme + authority).toLowerCase();
    byPlace.set(key, [...(byPlace.get(key) ?? []), [name, value]]);
  }
  return new HostHeaders(byPlace);
}

const ownHeader = (file: string, line: number, name: string): DrumlinError =>
  new DrumlinError(
    'SECRET_FILE',
    `${file}:${line}: ${name} is a header that Drumlin makes itself.`,
    'Use --user-agent, --contact or --proxy for it, or leave it out.',
  );
