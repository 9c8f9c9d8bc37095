/**
 * Tests that need a server which can be neither found nor fetched are left out (`servers.has`). The
 * last lines of the run name them.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'drumlin-missing-'));
  const notes = join(folder, 'notes.jsonl');
  writeFileSync(notes, '');
  process.env.DRUMLIN_MISSING_SERVERS = notes;
  return () => {
    const missing = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
    rmSync(folder, { recursive: true, force: true });
    if (missing.length === 0) return;
    console.error('\nSKIPPED for want of a server:');
    for (const line of missing) {
      const { name, asker, why } = JSON.parse(line) as Record<string, string>;
      console.error(`  ${asker || 'a test'}: no ${name} server. ${why}`);
    }
  };
}
