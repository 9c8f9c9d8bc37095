/** Rows of extracted fields: one for each HTML page of status 200 that is stored. */
import type { Clock } from '../base/clock.ts';
import type { Field } from './fields.ts';
import { PageDocument } from './page-document.ts';

interface ReadPage {
  readonly url: string;
  readonly status: number;
  readonly headers: { get(name: string): string | undefined };
  readonly body: Uint8Array;
}

export class Extractor {
  readonly #fields: readonly Field[];
  readonly #clock: Pick<Clock, 'now'>;

  constructor(fields: readonly Field[], clock: Pick<Clock, 'now'>) {
    this.#fields = fields;
    this.#clock = clock;
  }

  /** A line of JSON; a field without a match is null, or an empty list. */
  async rowOf({ url, status, headers, body }: ReadPage): Promise<string> {
    const page = await PageDocument.of(body, headers.get('content-type'));
    const row: Record<string, unknown> = {
      url,
      status,
      time: new Date(this.#clock.now()).toISOString(),
    };
    for (const field of this.#fields) row[field.name] = extracted(field, page);
    return JSON.stringify(row);
  }
}

function extracted(
  { selector, attribute, many }: Field,
  page: PageDocument,
): string | null | string[] {
  const values = page
    .$(selector)
    .flatMap(
      (element) => (attribute === undefined ? element.text : element.attribute(attribute)) ?? [],
    );
  return many ? values : (values[0] ?? null);
}
