/** Pages for a browser, and what it found in them. */
import type { PageResponse } from '../../src/render/interception.ts';
import type { RenderedPage } from '../../src/render/render-page.ts';

export const text = (body: string, type = 'text/html'): PageResponse => ({
  ...{ status: 200, headers: [['Content-Type', type]], body: Buffer.from(body) },
});

export const paths = ({ links }: Pick<RenderedPage, 'links'>): string[] =>
  links.map((link) => new URL(link).pathname).sort();
