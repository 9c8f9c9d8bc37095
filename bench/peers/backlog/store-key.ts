/**
 * The keys of URLs in a key-value store: host, a zero byte, the number of the URL (six bytes), so
 * that hosts are ranges.
 */

const NUMBER = 6;
/** After the zero byte: after all URLs of the host, and before those of any other. */
const BEHIND_ALL = 1;

export function storeKey(host: string, number: number): Buffer {
  const key = Buffer.allocUnsafe(host.length + 1 + NUMBER);
  key.write(host, 0, 'latin1');
  key[host.length] = 0;
  key.writeUIntBE(number, host.length + 1, NUMBER);
  return key;
}

export function hostOfKey(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length - 1 - NUMBER).toString('latin1');
}

export function behindHost(host: string): Buffer {
  return Buffer.from(`${host}${String.fromCharCode(BEHIND_ALL)}`, 'latin1');
}

/** The stored value: a letter for the scheme, and the path. */
export function storedPath(host: string, url: string): Buffer {
  return Buffer.from(
    url[4] === 's' ? `s${url.slice(8 + host.length)}` : `h${url.slice(7 + host.length)}`,
    'latin1',
  );
}

export function storedUrl(host: string, value: Uint8Array): string {
  const path = Buffer.from(value.buffer, value.byteOffset + 1, value.length - 1).toString('latin1');
  return (value[0] === 0x73 ? 'https://' : 'http://') + host + path;
}

/** A package of the peers that bench/sieve.ts installs. */
export async function loadPeer<T>(name: string): Promise<T> {
  const { createRequire } = await import('node:module');
  const { pathToFileURL } = await import('node:url');
  const require = createRequire(new URL('../sieve/package.json', import.meta.url));
  return (await import(pathToFileURL(require.resolve(name)).href)) as T;
}
