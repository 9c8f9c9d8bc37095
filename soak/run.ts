/**
 * `npm run soak -- <name> [arguments]`: each file of this folder is a long test; it exports
 * `run(args)`.
 */
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`usage: npm run soak -- ${names.join(' | ')} [arguments]\n`);
  process.exit(2);
}
const { run } = (await import(`./${name}.ts`)) as { run(args: string[]): Promise<void> };
await run(args);
// Sockets of a load that a server did not close must not keep the process.
process.exit();
