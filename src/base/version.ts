/** The version of the package, from its package.json; the same path from src/ and from dist/. */
import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };
export const VERSION: string = manifest.version;
