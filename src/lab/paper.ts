/**
 * A paper: a PDF of one page with its text in plain operators, small but complete (header, objects,
 * table, trailer).
 */
import type { Answer } from './answer.ts';
import type { Domain } from './domain.ts';
import { poolOf } from './paths.ts';
import { pageBirth, secondsOf } from './time.ts';
import type { Web } from './web.ts';
import { hash, Random, TAG } from './words/random.ts';
import { Reader } from './words/text.ts';

const LINE = 90;

/** A paper is written once and never changes. */
export function paperAnswer(web: Web, domain: Domain, page: number): Answer {
  const birth = pageBirth(web.world, domain, page);
  const words = new Random(web.world.seed ^ TAG.page, domain.index, page, birth);
  const text = new Reader(poolOf(domain, birth), words)
    .read(4000 + words.below(12_000))
    .replace(/[()\\\x80-\xff]/g, '');
  return {
    status: 200,
    headers: 'Content-Type: application/pdf\r\n',
    body: pdf(text),
    etag: `"${hash(web.world.seed, TAG.page, domain.index, page, birth).toString(16)}"`,
    modified: secondsOf(birth),
  };
}

function pdf(text: string): string {
  let lines = '';
  for (let at = 0; at < text.length; at += LINE) lines += `(${text.slice(at, at + LINE)}) '\n`;
  const content = `BT /F1 8 Tf 9 TL 40 800 Td\n${lines}ET\n`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}endstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  let table = '0000000000 65535 f \n';
  objects.forEach((object, i) => {
    table += `${String(body.length).padStart(10, '0')} 00000 n \n`;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const size = objects.length + 1;
  return `${body}xref\n0 ${size}\n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
