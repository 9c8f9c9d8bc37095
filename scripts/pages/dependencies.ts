/** docs/dependencies.md lists the licence of everything that `npm ci` installs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GeneratedPage, withSection } from './page.ts';

interface Locked {
  readonly license?: string;
  readonly dev?: boolean;
}

/** Packages that hold a binary for one system; they are counted, not named. */
const BINARY =
  /(?:linux|darwin|win32|freebsd|netbsd|openbsd|openharmony|sunos|aix|android|wasm32|wasi)/;

export const dependenciesPage: GeneratedPage = {
  path: 'docs/dependencies.md',
  text: (present) => withSection(present, 'licences', licenceTable()),
};

function licenceTable(): string {
  const packages = lockedPackages();
  const licences = [...new Set(packages.map(({ licence }) => licence))].sort();
  const names = (licence: string, dev: boolean) => {
    const found = packages.filter((one) => one.licence === licence && one.dev === dev);
    const named = found.map(({ name }) => name).filter((name) => !BINARY.test(name));
    const binaries = found.length - named.length;
    return [...[...new Set(named)].sort(), ...(binaries ? [`and ${binaries} binaries`] : [])].join(
      ', ',
    );
  };
  const rows = licences.map(
    (licence) => `| ${licence} | ${names(licence, false)} | ${names(licence, true)} |`,
  );
  return `${['| licence | at run time | for building, tests and benchmarks |', '|---|---|---|', ...rows].join('\n')}\n`;
}

function lockedPackages(): { name: string; licence: string; dev: boolean }[] {
  const lockfile = join(import.meta.dirname, '../../package-lock.json');
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, { license = 'none', dev = false }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      licence: license,
      dev,
    }));
}
