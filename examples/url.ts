/**
 * Brings links of a page into one spelling, and groups them by the domain that somebody registered.
 *
 *   npx tsx examples/url.ts
 */
import {
  canonicalise,
  fingerprint,
  parametersToDrop,
  payLevelDomain,
  whyNotCanonical,
} from 'drumlin/url';

const base = 'https://www.example.co.uk/shop/';
const drop = parametersToDrop(); // the usual tracking parameters
const references = [
  '../About',
  'HTTPS://WWW.EXAMPLE.CO.UK:443/%7Euser/?utm_source=mail#top',
  '//cdn.example.net/a//b/./c',
  'mailto:shop@example.co.uk',
];

for (const reference of references) {
  const url = canonicalise(reference, { base, drop });
  if (url === undefined) {
    console.log(`${reference}: ${whyNotCanonical(reference, { base })?.fact}`);
    continue;
  }
  const domain = payLevelDomain(new URL(url).hostname);
  console.log(`${url} of ${domain}, ${fingerprint(url).toString(16)}`);
}
