import { join } from 'node:path';
import { describe } from 'vitest';
import { FolderStore } from '../../src/objects/folder-store.ts';
import { temporaryFolder } from '../disk/temporary-folder.ts';
import { objectStoreConformance } from './conformance.ts';

describe('a folder of objects', () => {
  objectStoreConformance(() => new FolderStore(join(temporaryFolder(), 'objects')));
});
