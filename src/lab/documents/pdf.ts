/** PDFs of the lab: small but complete (header, objects, table, trailer), as byte strings. */
import { deflateSync } from 'node:zlib';

interface PdfOptions {
  /** Its pages are deflated. */
  readonly compressed?: boolean;
  /** Addresses of link annotations on the last page. */
  readonly links?: readonly string[];
}

const SIZE = '/MediaBox [0 0 595 842]';

/** Each page shows its lines in plain operators. */
export function writePdf(pages: readonly (readonly string[])[], options: PdfOptions = {}): string {
  const { compressed = false, links = [] } = options;
  const last = pages.length - 1;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((lines, i) => [
      `<< /Type /Page /Parent 2 0 R ${SIZE} /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >>${i === last ? annotations(links) : ''} >>`,
      stream(contentOf(lines), compressed),
    ]),
  ];
  return fileOf(objects);
}

function contentOf(lines: readonly string[]): string {
  return `BT /F1 8 Tf 9 TL 40 800 Td\n${lines.map((line) => `(${line}) '\n`).join('')}ET\n`;
}

function stream(content: string, compressed: boolean): string {
  if (!compressed) return `<< /Length ${content.length} >>\nstream\n${content}endstream`;
  const packed = deflateSync(Buffer.from(content, 'latin1')).toString('latin1');
  return `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed}\nendstream`;
}

function annotations(links: readonly string[]): string {
  if (links.length === 0) return '';
  const each = links.map(
    (link) =>
      `<< /Type /Annot /Subtype /Link /Rect [40 40 80 50] /A << /S /URI /URI (${link}) >> >>`,
  );
  return ` /Annots [${each.join(' ')}]`;
}

const LINE = 90;

/** One page with a text that is cut into lines of the same length. */
export function writePlainPdf(text: string): string {
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += LINE) lines.push(text.slice(at, at + LINE));
  return fileOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R ${SIZE} /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>`,
    stream(contentOf(lines), false),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]);
}

function fileOf(objects: readonly string[]): string {
  let body = '%PDF-1.4\n';
  let table = '0000000000 65535 f \n';
  objects.forEach((object, i) => {
    table += `${String(body.length).padStart(10, '0')} 00000 n \n`;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const size = objects.length + 1;
  return `${body}xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
