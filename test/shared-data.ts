/** Real data for tests, kept beside the project, not in it: without it those tests are skipped. */
import { join } from 'node:path';

export const sharedData = (...path: string[]): string =>
  join(import.meta.dirname, '../../shared/data', ...path);
