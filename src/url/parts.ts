/**
 * Parts of a canonical URL by position, without parsing it again.
 *
 * Requires  A URL in canonical form (`canonicalise`): `http://` or `https://`, an authority without
 *           credentials, a path that begins with `/`. Anything else gives a wrong result.
 */

/** Where the authority begins: after `http://` or `https://`. */
export const authorityStart = (url: string) => (url.charCodeAt(4) === 0x3a ? 7 : 8);

/** Where the path begins. */
export const pathStart = (url: string) => url.indexOf('/', 8);

/**
 * Where the host ends: at the port or at the path. Most hosts end with a letter, and the path
 * follows.
 */
export function hostEnd(url: string): number {
  const slash = pathStart(url);
  let at = slash - 1;
  for (let code = url.charCodeAt(at); code >= 0x30 && code <= 0x39; code = url.charCodeAt(--at));
  return url.charCodeAt(at) === 0x3a ? at : slash;
}

/** `example.org`, `192.0.2.1`, `[2001:db8::1]`: no port. */
export function hostOf(url: string): string {
  return url.slice(authorityStart(url), hostEnd(url));
}

/** `example.org` or `example.org:8080`. */
export function authorityOf(url: string): string {
  return url.slice(authorityStart(url), pathStart(url));
}

/** `https://example.org:8080`. */
export function originOf(url: string): string {
  return url.slice(0, pathStart(url));
}

/** Path and query, as in a request line: `/a/b?c=d`. */
export function pathOf(url: string): string {
  return url.slice(pathStart(url));
}
