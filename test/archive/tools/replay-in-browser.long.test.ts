/** The short form of `npm run soak -- replay`: a WACZ in ReplayWeb.page, in a real browser. */
import { expect, test } from 'vitest';
import { replay } from '../../../soak/replay.ts';
import { foreignMaterial } from '../../foreign-material.ts';
import { leftOut } from '../../left-out.ts';

const viewer = await foreignMaterial('replayWebPage');

test.skipIf(leftOut(viewer)).each(['gzip', 'zstd'] as const)(
  'pages and revisits of a WACZ from an archive in %s replay in a browser without a request to their site',
  async (compress) => {
    expect(await replay(compress)).toEqual({
      seen: [
        '/ <h1>The first page</h1>',
        '/second?b=2&a=1 <h1>The second page</h1>',
        '/copy <h1>The second page</h1>',
      ],
      leaked: [],
    });
  },
  120_000,
);
