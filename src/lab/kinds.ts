/** Every kind of domain by its name. */
import { academic, directory, giant, ordinary, personal } from './honest-kinds.ts';
import type { Kind, KindName } from './kind.ts';
import {
  bought,
  copy,
  exchange,
  expired,
  farm,
  honeypot,
  parked,
  sparseRing,
} from './spam-kinds.ts';
import { alias, calendar, repeat, session, wildcard } from './trap-kinds.ts';

export const KINDS: Readonly<Record<KindName, Kind>> = {
  giant,
  ordinary,
  personal,
  academic,
  directory,
  exchange,
  farm,
  parked,
  copy,
  honeypot,
  expired,
  'sparse-ring': sparseRing,
  bought,
  wildcard,
  calendar,
  session,
  repeat,
  alias,
};
