/**
 * A report as a page: one HTML file with its style and its plots inside, without scripts or other
 * files, light or dark by the reader's setting. All text from the web is escaped here.
 */
import { COLOURS, DASHES, escaped, type Plot, plot } from './plot.ts';
import { STYLE } from './style.ts';

/** Markup that is already escaped. */
export type Html = string & { readonly kind?: 'html' };

export function page(
  title: string,
  sections: readonly (Html | undefined | false | '')[],
  style = STYLE,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${sections.filter(Boolean).join('\n')}
</main>
</body>
</html>
`;
}

export function section(heading: string, body: Html, text = ''): Html {
  return `<section>\n<h2>${escaped(heading)}</h2>\n${text && `<p>${text}</p>\n`}${body}\n</section>`;
}

/** Sections side by side, if there is room for two. */
export const beside = (sections: readonly Html[]): Html =>
  `<div class="beside">\n${sections.join('\n')}\n</div>`;

/** Short phrases in one row. */
export function facts(phrases: readonly string[]): Html {
  return `<ul class="facts">${phrases.map((phrase) => `<li>${escaped(phrase)}</li>`).join('')}</ul>`;
}

/** A table of text; the first row is the heading. */
export function table([head, ...rows]: readonly (readonly string[])[]): Html {
  return tableOf(
    head.map(escaped),
    rows.map((row) => row.map(escaped)),
  );
}

/** A table of markup. */
export function tableOf(head: readonly Html[], rows: readonly (readonly Html[])[]): Html {
  const cells = (row: readonly Html[], tag: string) =>
    row.map((cell) => `<${tag}>${cell}</${tag}>`).join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
  return `<div class="wide"><table>\n<thead><tr>${cells(head, 'th')}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table></div>`;
}

/** A plot with its legend, which also names the series without points after the word `without`. */
export function figure(drawing: Plot, without = 'none'): Html {
  const lines = drawing.series.filter(({ points }) => points.length > 0);
  const others = drawing.series.filter(({ points }) => points.length === 0);
  const entries = lines.map(({ label, colour }) => `<li>${swatch(colour)}${escaped(label)}</li>`);
  if (others.length > 0)
    entries.push(
      `<li class="none">${without}: ${others.map(({ label }) => escaped(label)).join(', ')}</li>`,
    );
  return `<figure>\n${plot(drawing)}\n<figcaption><ul class="legend">${entries.join('')}</ul></figcaption>\n</figure>`;
}

/** A sample of the line of that colour. */
export function swatch(colour: number): Html {
  const dash = DASHES[Math.floor(colour / COLOURS) % DASHES.length];
  const style = `style="stroke:var(--line-${colour % COLOURS})"${dash && ` stroke-dasharray="${dash}"`}`;
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><path class="line" ${style} d="M1 5H23"/></svg>`;
}
