/** PostScript of the lab: as a word processor writes it, and as dvips does. */

/** Each page shows its lines with an operator that the prologue defines. */
export function writePostScript(pages: readonly (readonly string[])[]): string {
  const body = pages.map(
    (lines, i) =>
      `%%Page: ${i + 1} ${i + 1}\n/Times-Roman findfont 10 scalefont setfont\n` +
      `${lines.map((line, k) => `(${line}) 72 ${760 - 11 * k} T\n`).join('')}showpage\n`,
  );
  return `%!PS-Adobe-3.0\n%%Pages: ${pages.length}\n/T { moveto show } bind def\n%%EndProlog\n${body.join('')}%%EOF\n`;
}

/** The same with the operators of dvips: words are strings with moves between them. */
export function writeDvips(pages: readonly (readonly string[])[]): string {
  const body = pages.map(
    (lines, i) =>
      `%%Page: ${i + 1} ${i + 1}\nTeXDict begin ${i + 1} ${i} bop 300 300 a Fa\n` +
      `${lines.map((line, k) => `300 ${300 + 100 * k} a ${wordsOf(line)}\n`).join('')}eop end\n`,
  );
  return (
    `%!PS-Adobe-2.0\n%%Creator: dvips(k) 5.995\n%DVIPSParameters: dpi=600\n%%Pages: ${pages.length}\n` +
    `%%BeginProcSet: tex.pro\n/TeXDict 250 dict N TeXDict begin\n%%EndProcSet\n${body.join('')}%%EOF\n`
  );
}

/** `(We)28 b(present)g(a)g(study)p` */
function wordsOf(line: string): string {
  const words = line.split(' ');
  return words
    .map((word, i) => `(${word})${i === words.length - 1 ? 'p' : i === 0 ? '28 b' : 'g'}`)
    .join('');
}
