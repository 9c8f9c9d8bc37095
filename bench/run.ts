/**
 * `npm run bench -- <name> [arguments]`: each benchmark is a file of this folder that exports
 * `run(args)`.
 */
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts' && file !== 'measure.ts')
  .map((file) => file.slice(0, -3));

const [name, ...args] = process.argv.slice(2);
if (name === undefined || !names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- ${names.join(' | ')} [arguments]\n`);
  process.exit(2);
}
const { run } = (await import(`./${name}.ts`)) as { run(args: string[]): Promise<void> };
await run(args);
