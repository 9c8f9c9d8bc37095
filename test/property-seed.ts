/**
 * Property tests try the same cases in every run, so that a failure belongs to the change that
 * causes it. `DRUMLIN_SEED=random` tries others (the nightly run does), `DRUMLIN_SEED=n` those of
 * seed n.
 */
import fc from 'fast-check';

const seed = process.env.DRUMLIN_SEED ?? '1';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
