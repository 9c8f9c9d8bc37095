/** docs/api-http.md and docs/openapi.json: the HTTP API of the console, from its table of routes. */
import { openApi, routeSections } from '../../src/console/openapi.ts';
import { type GeneratedPage, withSection } from './page.ts';

export const apiHttpPage: GeneratedPage = {
  path: 'docs/api-http.md',
  text: (present) => withSection(present, 'routes', `\n${routeSections()}\n`),
};

export const openApiFile: GeneratedPage = {
  path: 'docs/openapi.json',
  text: () => `${JSON.stringify(openApi(), null, 1)}\n`,
};
