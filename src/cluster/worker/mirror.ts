import { join } from 'node:path';
import { agentDir, namedFiles, storedCheckpoint } from '../../crawl/state/agent-folder.ts';
import type { Disk } from '../../disk/disk.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { Mirror } from './agent-files.ts';

/** INTERIM: whole copies. */
export function mirrorOf(store: ObjectStore, disk: Disk, dir: string): Mirror {
  let count = 0;
  const read = async (path: string) => {
    const file = await disk.open(path, 'read');
    try {
      const bytes = new Uint8Array(await file.size());
      await file.readAll(bytes, 0);
      return bytes;
    } finally {
      await file.close();
    }
  };
  return {
    async upload(agent, epoch) {
      const at = `agents/${agent}/${epoch}-${++count}`;
      const stored = await storedCheckpoint(disk, dir, agent);
      if (!stored) throw new Error('no checkpoint');
      const own = agentDir(dir, agent);
      const files: string[] = [];
      for (const { path } of [...namedFiles(dir, agent, stored), { path: join(own, 'checkpoint.json') }]) {
        const name = path.slice(dir.length + 1);
        files.push(name);
        await store.put(`${at}/${name}`, await read(path));
      }
      for (const { file, length } of stored.state.archive) {
        const path = join(dir, 'archive', file);
        if (!(await disk.list(join(dir, 'archive'))).includes(file)) continue;
        await store.put(`archive/${epoch}/${file}`, (await read(path)).subarray(0, length));
      }
      await store.put(`${at}/manifest.json`, Buffer.from(JSON.stringify({ files })));
      return at;
    },
    async restore(manifest, _agent) {
      const { files } = JSON.parse(String(await store.get(`${manifest}/manifest.json`)));
      for (const name of files) {
        const path = join(dir, name);
        await disk.makeFolder(join(path, '..'));
        const file = await disk.open(path, 'create');
        try {
          await file.writeAll((await store.get(`${manifest}/${name}`)) as Uint8Array, 0);
        } finally {
          await file.close();
        }
      }
    },
  };
}
