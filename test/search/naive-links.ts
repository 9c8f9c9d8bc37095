/** Links through time, by looking at every capture. Epochs are days. */
import type { TestCapture } from './collection.ts';

const DAY = 86_400_000;

/** Every link with its first and last day, and the links of a page on a day, by looking at all. */
export function naiveLinks(list: readonly TestCapture[]) {
  const spans = new Map<string, [from: string, to: string, first: number, last: number]>();
  for (const { url: from, time, links = [] } of list) {
    const day = Math.floor(time / DAY);
    for (const link of links) {
      const to = typeof link === 'string' ? link : link.url;
      const [, , first, last] = spans.get(`${from} ${to}`) ?? [from, to, day, day];
      if (to !== from)
        spans.set(`${from} ${to}`, [from, to, Math.min(first, day), Math.max(last, day)]);
    }
  }
  const days = (page: string) =>
    list.filter((each) => each.url === page).map(({ time }) => Math.floor(time / DAY));
  const at = (day: number) =>
    [...spans.values()].filter(
      ([from, , first, last]) =>
        first <= day && !days(from).some((other) => other > last && other <= day),
    );
  return { spans: [...spans.values()], at };
}
