/**
 * Replaces personal data in texts: e-mail addresses by `<email>`, addresses of machines by
 * `<address>`.
 *
 * Ensures   Time linear in the text: every pattern has bounded parts. Addresses of documentation
 *           and of private networks are replaced like all others. A version number of four parts
 *           that looks like an address is replaced, too.
 */
export const MASKS = ['emails', 'addresses'] as const;
export type Mask = (typeof MASKS)[number];

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const IPV4 = new RegExp(`(?<![\\d.])(?:${OCTET}\\.){3}${OCTET}(?![\\d.]*\\d)`, 'g');
const IPV6 =
  /(?<![\w:.])(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}:){1,6}:(?:[0-9a-f]{1,4}:){0,5}[0-9a-f]{1,4})(?![\w:])/gi;

export function masked(text: string, masks: readonly Mask[]): string {
  let result = text;
  if (masks.includes('emails') && text.includes('@')) result = result.replace(EMAIL, '<email>');
  if (masks.includes('addresses'))
    result = result.replace(IPV4, '<address>').replace(IPV6, '<address>');
  return result;
}
