/**
 * Where the S3 store is and how to sign for it: from the environment, or from a file of the form
 * that the tools of AWS share. Nothing of it is ever part of a message.
 *
 *   AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
 *   AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE   if the first two are not set
 *   AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL      a store other than Amazon's
 *   AWS_REGION, AWS_DEFAULT_REGION             default us-east-1
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { DrumlinError } from '../base/errors.ts';
import { readSecretFile } from '../fetch/secret-file.ts';

export interface S3Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
  /** Without a path and without a user: `https://objects.example:9000`. */
  readonly endpoint: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws an error with a remedy if there are no credentials. `warn` gets one sentence. */
export async function s3Account(
  env: Environment,
  warn: (sentence: string) => void = () => {},
): Promise<S3Account> {
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || 'us-east-1';
  const endpoint = endpointOf(
    env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`,
  );
  const [accessKeyId, secretAccessKey] = [env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY];
  if (accessKeyId && secretAccessKey)
    return { accessKeyId, secretAccessKey, sessionToken: env.AWS_SESSION_TOKEN, region, endpoint };
  const named = env.AWS_SHARED_CREDENTIALS_FILE;
  const path = named || join(homedir(), '.aws', 'credentials');
  const text = await readSecretFile(path, warn).catch((error) => {
    if (named) throw error;
    throw noCredentials();
  });
  const profile = env.AWS_PROFILE || 'default';
  const section = sectionOf(text, profile);
  if (!section.aws_access_key_id || !section.aws_secret_access_key)
    throw new DrumlinError(
      'OBJECT_CREDENTIALS',
      `${path} has no keys for the profile "${profile}".`,
      'Add aws_access_key_id and aws_secret_access_key below the name of the profile.',
    );
  return {
    accessKeyId: section.aws_access_key_id,
    secretAccessKey: section.aws_secret_access_key,
    sessionToken: section.aws_session_token,
    region,
    endpoint,
  };
}

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.pathname === '/' && url.search === '';
  if (isPlain && url.username === '' && url.password === '') return url.origin;
  throw new DrumlinError(
    'OBJECT_ENDPOINT',
    'AWS_ENDPOINT_URL_S3 is not the address of a store.',
    'Write it like https://objects.example:9000, without a path and without credentials.',
  );
}

/** The lines `name = value` below `[profile]`. */
function sectionOf(text: string, profile: string): Record<string, string> {
  const found: Record<string, string> = {};
  let inside = false;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*(?:profile\s+)?(.*?)\s*\]\s*$/.exec(line);
    if (heading) inside = heading[1] === profile;
    const pair = /^\s*([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (inside && pair) found[pair[1]] = pair[2];
  }
  return found;
}

function noCredentials(): DrumlinError {
  return new DrumlinError(
    'OBJECT_CREDENTIALS',
    'There are no credentials for the object store.',
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file in AWS_SHARED_CREDENTIALS_FILE.',
  );
}
