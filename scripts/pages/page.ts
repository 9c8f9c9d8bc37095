/** What `npm run docs` writes: a file, and the text it must hold. */
export interface GeneratedPage {
  /** Its path from the root of the project. */
  readonly path: string;
  /** The whole text; made from the present one where only a part is generated. */
  readonly text: (present: string) => string | Promise<string>;
}

/** The present text with other lines between `<!-- name -->` and `<!-- /name -->`. */
export function withSection(present: string, name: string, lines: string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [from, to] = [present.indexOf(begin), present.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no section <!-- ${name} -->.`);
  return `${present.slice(0, from + begin.length)}${lines}${present.slice(to)}`;
}
