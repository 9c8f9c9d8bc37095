/** The package as `npm pack` makes it, installed into an empty project in a temporary folder. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/@typescript/native/bin/tsc');
const run = promisify(execFile);

/** Strict, and the declarations of the package are checked too: there is no `skipLibCheck`. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    types: ['node'],
    outDir: 'out',
    rootDir: 'src',
  },
  include: ['src'],
};

/**
 * Packs the build of this run, and installs the tarball; returns the folder of the project.
 */
export function installPacked(folder: string): string {
  const staging = join(folder, 'staging');
  const project = join(folder, 'project');
  const installed = join(project, 'node_modules/drumlin');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['package.json', 'README.md', 'LICENSE', ...manifest.files]) {
    if (!name.startsWith('!')) cpSync(join(ROOT, name), join(staging, name), { recursive: true });
  }
  const [tarball] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: staging,
      encoding: 'utf8',
    }),
  );
  mkdirSync(installed, { recursive: true });
  const path = join(folder, tarball.filename);
  execFileSync('tar', ['-xzf', path, '-C', installed, '--strip-components', '1']);
  linkDependencies(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  mkdirSync(join(project, 'src'));
  return project;
}

/** What `npm install` would fetch: the dependencies of the package, and the types of Node. */
function linkDependencies(project: string): void {
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const packages = Object.entries(lockfile.packages as Record<string, { dev?: boolean }>)
    // A package inside another comes with the link to that one.
    .filter(([path, { dev }]) => path.lastIndexOf('node_modules/') === 0 && !dev)
    .map(([path]) => path);
  for (const path of [...packages, 'node_modules/@types/node', 'node_modules/undici-types']) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(project, path));
  }
}

/** Compiles `src/` of the project; rejects with what the compiler prints. */
export async function compile(project: string): Promise<void> {
  await run(process.execPath, [TSC, '-p', project]).catch((error) => {
    throw new Error(error.stdout || error.message);
  });
}

/** Runs a compiled program in the project; returns what it prints. */
export async function runProgram(project: string, name: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join('out', `${name}.js`)], { cwd: project });
  return stdout;
}
