/** docs/log.md lists every event of the log. */
import { eventTable } from '../../src/crawl/record/log-events.ts';
import { type GeneratedPage, withSection } from './page.ts';

export const logPage: GeneratedPage = {
  path: 'docs/log.md',
  text: (present) => withSection(present, 'events', `${eventTable()}\n`),
};
