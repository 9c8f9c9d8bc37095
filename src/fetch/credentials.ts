/**
 * User names and passwords for sites that require them (RFC 7617), from a file of lines `host user
 * password`.
 *
 * `host` is a name or an address; it covers http and https, and all ports. With a port it covers
 * only that one, and wins over a line without. With `https://` before it, nothing is ever sent
 * unencrypted. The password is the rest of the line. A password is sent exactly to the origins of
 * its line: not to subdomains, not after a redirect to another host.
 */
import { canonicalise } from '../url/canonical.ts';
import { originOf } from '../url/parts.ts';
import { badLine, linesOf, readSecretFile } from './secret-file.ts';

interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** The credentials by origin: `https://example.org:8443`, or `https://example.org:*` for all ports. */
type ByOrigin = ReadonlyMap<string, BasicCredentials>;

export class CredentialTable {
  readonly #byOrigin: ByOrigin;

  constructor(byOrigin: ByOrigin) {
    this.#byOrigin = byOrigin;
  }

  /** What to send to an origin, if anything. */
  get(origin: string): BasicCredentials | undefined {
    return this.#byOrigin.get(origin) ?? this.#byOrigin.get(allPorts(origin));
  }
}

/** Stands for all ports of the origin's host. */
const allPorts = (origin: string): string => `${origin.replace(/:\d+$/, '')}:*`;

const FORM = 'host user password, for example "https://wiki.example.org crawler s3cret"';
const CONTROL = /[\0-\x1f\x7f]/;

export async function readCredentials(
  path: string,
  warn: (sentence: string) => void,
): Promise<CredentialTable> {
  return parseCredentials(await readSecretFile(path, warn), path);
}

/** Errors name the `file`. */
export function parseCredentials(text: string, file: string): CredentialTable {
  const table = new Map<string, BasicCredentials>();
  for (const [line, number] of linesOf(text, (one) => /^\s*#/.test(one))) {
    const [, host, user, password] = /^\s*(\S+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (password === undefined)
      throw badLine(file, number, 'The line has fewer than three words.', FORM);
    // A server reads the user name up to the first colon.
    if (user.includes(':') || CONTROL.test(user + password)) {
      throw badLine(
        file,
        number,
        'The user name contains a colon, or the line contains control characters.',
        FORM,
      );
    }
    for (const origin of originsOf(host, file, number)) {
      if (table.has(origin))
        throw badLine(file, number, `The file has another line for ${hostIn(origin)}.`, FORM);
      table.set(origin, { user, password });
    }
  }
  return new CredentialTable(table);
}

const hostIn = (origin: string): string => origin.replace(/:\*$/, '');

function originsOf(host: string, file: string, line: number): string[] {
  const written = host.includes('://') ? [host] : [`http://${host}`, `https://${host}`];
  const origins = written.map((text) =>
    /^https?:\/\/[^/?#@]+\/?$/i.test(text) ? canonicalise(text) : undefined,
  );
  return origins.map((url) => {
    if (url === undefined) throw badLine(file, line, 'The first word is not a host.', FORM);
    const hasPort = /:\d+\/?$/.test(host);
    return hasPort ? originOf(url) : allPorts(originOf(url));
  });
}

/** The value of the Authorization header. */
export function basicAuthorization({ user, password }: BasicCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
