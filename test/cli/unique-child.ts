/** `drumlin unique` as a separate process, for the test that kills it. */
import { unique } from '../../src/cli/commands/unique.ts';

await unique(
  { dir: process.argv[2], memory: '1Mi', disk: '8Gi', sieve: 'drum' },
  process.stdin,
  process.stdout,
);
