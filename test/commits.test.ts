import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsSince } from '../scripts/commits.ts';
import { temporaryFolder } from './disk/temporary-folder.ts';
import { leftOut, needs } from './left-out.ts';

test.skipIf(leftOut(needs.program('git')))(
  'commits with long or unfinished subjects and merges without content are refused, from a commit on',
  () => {
    const folder = temporaryFolder();
    const person = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
    const git = (...args: string[]) =>
      execFileSync('git', [...person, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    const commit = (subject: string, text: string, file = 'file') => {
      writeFileSync(join(folder, file), text);
      git('add', '.');
      git('commit', '-q', '-m', subject);
    };
    git('init', '-q', '-b', 'main');
    commit('WIP before the rule', '0');
    const start = git('rev-parse', 'HEAD').trim();
    expect(faultsSince(start, folder)).toEqual([]);

    commit(`Test: ${'é'.repeat(66)}`, '1');
    commit(`Test: ${'x'.repeat(67)}`, '2');
    commit('wip: a half', '3');
    commit('Docs: what wiping costs', '4');
    for (const side of ['same', 'other']) {
      git('checkout', '-q', '-b', side, 'HEAD~1');
      commit(`Side: ${side}`, 'of the side', side === 'same' ? 'another' : 'file');
      git('checkout', '-q', 'main');
    }
    git('merge', '-q', '--no-ff', '-m', 'Merge a side that nothing contradicts', 'same');
    expect(() => git('merge', '-q', 'other')).toThrow();
    commit('Merge a side, and decide', 'of both');

    const faults = faultsSince(start, folder).map((each) => each.replace(/^\w+ /, ''));
    expect(faults).toEqual([
      'Merge a side that nothing contradicts\n  A merge without content of its own: rebase instead.',
      'wip: a half\n  A commit is finished work: squash it.',
      `Test: ${'x'.repeat(67)}\n  The subject has 73 characters, not 72.`,
    ]);
    // Not its history, or none.
    expect(faultsSince('0'.repeat(40), folder)).toEqual([]);
    expect(faultsSince(start, temporaryFolder())).toEqual([]);
  },
);
