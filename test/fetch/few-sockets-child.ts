/**
 * Keeps a connection to each of many hosts while the system allows only a few; prints the number of
 * fetched pages.
 */

import { createHttpClient } from '../../src/fetch/http-client.ts';
import { createIdentity } from '../../src/fetch/identity.ts';
import { createAddressGuard } from '../../src/net/address-guard.ts';

const client = createHttpClient({
  identity: createIdentity({ version: '0.0.0' }),
  guard: createAddressGuard({ allowPrivate: true }),
});
let pages = 0;
const faults = new Set<string>();
for (let host = 0; host < Number(process.argv[3]); host++) {
  const url = `http://h${host}.test:${process.argv[2]}/`;
  await client.fetch({ url, address: { ip: '127.0.0.1', family: 4 } }).then(
    () => pages++,
    (error) => faults.add(`${error.fault}: ${error.message}`),
  );
}
process.stdout.write(`${pages} pages ${[...faults].join(', ')}`);
await client.close();
