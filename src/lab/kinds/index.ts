/** Every kind of domain by its name. */
import { academic, directory, giant, ordinary, personal } from './honest.ts';
import type { Kind, KindName } from './kind.ts';

export const KINDS: Readonly<Record<KindName, Kind>> = {
  giant,
  ordinary,
  personal,
  academic,
  directory,
} as Record<KindName, Kind>;
