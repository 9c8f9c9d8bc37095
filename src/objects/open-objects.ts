/** Opens the object store of an address: `s3://bucket/prefix`, or `file:///folder`. */
import { fileURLToPath } from 'node:url';
import { DrumlinError } from '../base/errors.ts';
import type { ObjectStore } from './object-store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Only what the address needs is loaded. `warn` gets a sentence about credentials. */
export async function openObjects(
  address: string,
  env: Environment,
  warn: (sentence: string) => void = () => {},
): Promise<ObjectStore> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'file:' && url.host === '') {
    const { FolderStore } = await import('./folder-store.ts');
    return new FolderStore(fileURLToPath(url));
  }
  const [, bucket, prefix] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?)\/?)?$/.exec(
    address,
  ) ?? ['', '', ''];
  if (bucket === '') throw badAddress(address);
  const [{ S3Store }, { s3Account }] = await Promise.all([
    import('./s3-store.ts'),
    import('./s3-credentials.ts'),
  ]);
  return S3Store.open({ account: await s3Account(env, warn), bucket, prefix: prefix ?? '' });
}

/** The address may hold a secret by mistake: only its beginning is shown. */
function badAddress(address: string): DrumlinError {
  const scheme = /^[a-z0-9]{1,10}:\/\//.exec(address)?.[0] ?? '';
  return new DrumlinError(
    'OBJECT_ADDRESS',
    `${scheme === '' ? 'The object store' : `"${scheme}…"`} is not the address of an object store.`,
    'Write it like s3://bucket/prefix or file:///folder; credentials are in the environment.',
  );
}
