/** Real material for tests that lies beside the project, not in it: a test without it is skipped. */
import { join } from 'node:path';

export const sharedData = (...path: string[]): string =>
  join(import.meta.dirname, '../../shared/data', ...path);
