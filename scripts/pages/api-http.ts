/**
 * docs/api-http.md, docs/openapi.json and docs/openapi-cluster.json: the HTTP API of the console,
 * from its tables of routes.
 */
import { CLUSTER_ROUTES } from '../../src/console/cluster/routes.ts';
import { openApi, routeSections } from '../../src/console/openapi.ts';
import { ROUTES } from '../../src/console/routes.ts';
import { type GeneratedPage, withSection } from './page.ts';

export const apiHttpPage: GeneratedPage = {
  path: 'docs/api-http.md',
  text: (present) =>
    withSection(
      withSection(present, 'routes', `\n${routeSections(ROUTES)}\n`),
      'cluster-routes',
      `\n${routeSections(CLUSTER_ROUTES)}\n`,
    ),
};

export const openApiFile: GeneratedPage = {
  path: 'docs/openapi.json',
  text: () => `${JSON.stringify(openApi(ROUTES), null, 1)}\n`,
};

export const clusterOpenApiFile: GeneratedPage = {
  path: 'docs/openapi-cluster.json',
  text: () => `${JSON.stringify(openApi(CLUSTER_ROUTES), null, 1)}\n`,
};
