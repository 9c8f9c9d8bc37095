/** docs/configuration.md lists every setting. */
import { configurationPage as text } from '../../src/config/configuration-page.ts';
import type { GeneratedPage } from './page.ts';

export const configurationPage: GeneratedPage = { path: 'docs/configuration.md', text };
