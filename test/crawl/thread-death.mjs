/**
 * Loaded into the thread of an agent before anything else: ends the thread just before one of its
 * calls of the file system.
 *
 * DIES_AT is JSON: `{ agent, phase, step }`. The steps of the phase `start` count from the first
 * call on, from 1; those of `checkpoint` from the call that makes the image of the first
 * checkpoint.
 */
import fs from 'node:fs';

const { agent, phase, step } = JSON.parse(process.env.DIES_AT);
const FIRST_IMAGE = `agents/${agent}/front.1`;
const CALLS = ['open', 'read', 'write', 'fsync', 'fdatasync', 'ftruncate', 'fstat', 'close'];
const PROMISED = ['open', 'rename', 'unlink', 'rm', 'mkdir', 'readdir', 'link', 'stat'];

let begun = phase === 'start';
let steps = 0;

function count(path) {
  begun ||= typeof path === 'string' && path.endsWith(FIRST_IMAGE);
  if (begun && ++steps === step) process.exit();
}

for (const [calls, names] of [
  [fs, CALLS],
  [fs.promises, PROMISED],
]) {
  for (const name of names) {
    const call = calls[name];
    calls[name] = (...args) => {
      count(args[0]);
      return call.apply(calls, args);
    };
  }
}
