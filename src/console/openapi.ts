/** A table of routes as an OpenAPI 3.1 file, and as a section of the page docs/api-http.md. */
import { VERSION } from '../base/version.ts';
import type { Field, Fields } from './fields/schema.ts';
import type { Route } from './route.ts';

/** What a file says of a route. */
type Described = Omit<Route, 'answer'>;

const ERROR = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        fact: { type: 'string', description: 'what is wrong, as a sentence' },
        remedy: { type: 'string', description: 'what to do about it' },
      },
    },
  },
} as const;

export function openApi(routes: readonly Described[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path][route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Drumlin console', version: VERSION, license: { name: 'Apache-2.0' } },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }, { cookie: [] }],
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'drumlin-9420' },
      },
      schemas: { Error: ERROR },
    },
    paths,
  };
}

function operation({ method, path, doc, fields, gives }: Described): Record<string, unknown> {
  const open = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
  const isQuery = method === 'GET';
  const query = isQuery
    ? Object.entries(fields).map(([name, field]) => parameter(name, field))
    : [];
  return {
    summary: doc,
    parameters: [...open, ...query],
    ...(!isQuery && { requestBody: { required: true, content: jsonOf(objectOf(fields)) } }),
    responses: {
      200: {
        description: 'the answer',
        content: jsonOf({
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(gives).map(([name, description]) => [name, { description }]),
          ),
        }),
      },
      400: {
        description: 'what is wrong with the request',
        content: jsonOf({ $ref: '#/components/schemas/Error' }),
      },
      403: { description: 'no token, another host name, or another site' },
    },
  };
}

const parameter = (name: string, { json, doc, isOptional }: Field<unknown>) => ({
  ...{ name, in: 'query', required: !isOptional, description: doc, schema: json },
});

const jsonOf = (schema: unknown) => ({ 'application/json': { schema } });

const objectOf = (fields: Fields) => ({
  type: 'object',
  required: Object.entries(fields).flatMap(([name, { isOptional }]) => (isOptional ? [] : [name])),
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { json, doc }]) => [name, { ...json, description: doc }]),
  ),
  additionalProperties: false,
});

/** The routes as sections of a page. */
export function routeSections(routes: readonly Described[]): string {
  return routes
    .map(({ method, path, doc, fields, gives }) => {
      const asked = Object.entries(fields).map(
        ([name, field]) => `| \`${name}\` | ${typeText(field)} | ${field.doc} |`,
      );
      const given = Object.entries(gives).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
      return [
        `### \`${method} /api/v1${path}\``,
        '',
        doc,
        '',
        ...(asked.length > 0
          ? [
              `| ${method === 'GET' ? 'query' : 'body'} | type | meaning |`,
              '|---|---|---|',
              ...asked,
              '',
            ]
          : []),
        ...(given.length > 0 ? ['| answer | meaning |', '|---|---|', ...given, ''] : []),
      ].join('\n');
    })
    .join('\n');
}

function typeText({ json, isOptional }: Field<unknown>): string {
  const { type, enum: words, default: preset, minimum, maximum } = json;
  const what = Array.isArray(words)
    ? words.length > 12
      ? 'one of the events of log.md'
      : words.map((word) => `\`${word}\``).join(', ')
    : type === 'integer'
      ? `${minimum} to ${maximum}`
      : String(type);
  const suffix =
    preset !== undefined && preset !== ''
      ? `; default \`${String(preset)}\``
      : isOptional
        ? '; optional'
        : '';
  return `${what}${suffix}`;
}
