// The reference of the API at /docs/api: no endpoint is missing, every field has a row, and every example is a request that the
// schema of its endpoint accepts.
import { describe, expect, test } from 'bun:test';
import { api } from '#contract/api.ts';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { ERRORS } from '#contract/errors.ts';
import { createDocumentation } from '#server/admin/http/openapi.ts';
import { createRoutes } from '#server/relay/routes/routes.ts';
import { batchRoutes } from '#server/relay/tasks/batches/routes.ts';
import { drawingRoutes } from '#server/relay/tasks/drawing/routes.ts';
import { fileRoutes } from '#server/relay/tasks/file-routes.ts';
import { musicRoutes } from '#server/relay/tasks/music/routes.ts';
import { videoRoutes } from '#server/relay/tasks/video/routes.ts';
import { curlOf, exampleValue, type Parameter } from '#web/features/docs/example.ts';
import messages from '#web/features/docs/messages.ts';
import { fieldRows, type JsonSchema, type Schemas } from '#web/features/docs/schema.ts';

interface RawOperation {
  'x-errors'?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

const answer = createDocumentation(api, 'test').json({ asked: 'en', acceptLanguage: null, isSecure: true });
const { paths, components } = (await answer.json()) as {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Schemas };
};
const { schemas } = components;
const endpoints: [string, AnyEndpoint][] = Object.entries(api).flatMap(([group, members]) =>
  Object.entries(members).map(([name, endpoint]): [string, AnyEndpoint] => [`${group}.${name}`, endpoint]),
);
const described = ({ method, path }: AnyEndpoint) => paths[path]?.[method.toLowerCase()];

/** Paths of the relay that are other names of documented ones, or not for callers. */
const OTHER_NAMES: [RegExp, string][] = [
  [/^\/v1beta\/openai\//, "Google's address for clients of OpenAI's API"],
  [/^\/v1alpha\//, 'the same as /v1beta'],
  [/^\/(mj-\w+|fast|relax|turbo)\//, 'drawings with a speed, said at /mj/submit/{action}'],
  [
    /^\/(v1|v1beta|v1alpha|v2|openai|anthropic|upload|ws)(\/\*)?$/,
    'serves the path that was meant, else answers that there is none',
  ],
  [
    /^\/(chat\/completions|completions|responses|messages|embeddings|moderations|rerank|images|audio|models)(\/|$)/,
    'the same without /v1',
  ],
  [/^\/dashboard\//, 'the same without /v1'],
  [/^\/pg\//, "the console's own playground"],
  [/^\/v1\/video\/notify\//, 'callbacks of upstreams'],
  [/^\/suno\/notify\//, 'callbacks of upstreams'],
];

test('every path of the relay is described, or is another name of one that is', () => {
  // Handlers use their parts when they are called, not when they are made.
  const parts = { core: { store: {} } } as never;
  const none = {} as never;
  const routes = Object.keys({
    ...createRoutes(none).routes,
    ...drawingRoutes(parts, none),
    ...musicRoutes(parts, none),
    ...videoRoutes(parts, none),
    ...batchRoutes(parts),
    ...fileRoutes(parts),
  });
  expect(routes.length).toBeGreaterThan(60);
  const known = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, ':id'));
  // Azure's addresses name the model in the path; each must stand for a described one.
  const meant = routes.map((route) => route.replace(/^\/openai\/deployments\/:deployment\//, '/v1/'));
  const missing = meant.filter((route) => {
    if (OTHER_NAMES.some(([pattern]) => pattern.test(route))) return false;
    return route.endsWith('/*')
      ? !known.some((path) => path.startsWith(route.slice(0, -1)))
      : !known.includes(route.replaceAll(/:\w+/g, ':id'));
  });
  expect(missing).toEqual([]);
});

describe.each(endpoints)('%s', (name, endpoint) => {
  const operation = described(endpoint);

  test('is described with the errors that follow from its declaration', () => {
    const errors = operation?.['x-errors'] ?? [];
    expect(errors.filter((code) => !(code in ERRORS))).toEqual([]);
    expect(errors.includes('not_signed_in')).toBe(!['public', 'visitor'].includes(endpoint.access));
    expect(errors.includes('step_up_required')).toBe(endpoint.stepUp === true);
  });

  test('its example is accepted by its schema', () => {
    const body = operation?.requestBody?.content['application/json']?.schema;
    if (body) {
      const parsed = endpoint.body.safeParse(exampleValue(body, schemas));
      expect([name, parsed.error?.issues ?? []]).toEqual([name, []]);
    }
    for (const place of ['path', 'query'] as const) {
      const wanted = (operation?.parameters ?? []).filter((one) => one.in === place && one.required);
      if (wanted.length === 0) continue;
      const values = Object.fromEntries(
        wanted.map(({ name: field, schema }) => [field, String(exampleValue(schema, schemas, field))]),
      );
      const schema = place === 'path' ? endpoint.params : endpoint.query;
      expect([name, schema.safeParse(values).error?.issues ?? []]).toEqual([name, []]);
    }
  });
});

test('every group has a name in the reference', () => {
  expect(Object.keys(messages.reference.group).toSorted()).toEqual(
    ['models', ...Object.keys(api)].toSorted(),
  );
});

test('fields of lists and inner objects have rows, and a call is written as a command', () => {
  const rows = fieldRows(
    {
      type: 'object',
      required: ['items'],
      properties: {
        items: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
        total: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
    },
    { Item: { type: 'object', properties: { name: { type: 'string' } } } },
  );
  expect(rows).toEqual([
    { name: 'items', type: 'object[]', isRequired: true },
    { name: 'items[].name', type: 'string', isRequired: false },
    { name: 'total', type: 'integer | null', isRequired: false },
  ]);
  const command = curlOf(
    {
      method: 'PUT',
      path: '/api/thing/{id}',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      bodyType: 'application/json',
      proof: 'session',
    },
    'https://gate.example',
    {},
  );
  expect(command).toBe(
    [
      `curl -X PUT 'https://gate.example/api/thing/1' \\`,
      `  -H "Authorization: Bearer $ACCESS_TOKEN" \\`,
      `  -H "New-Api-User: $USER_ID" \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d '{"name":"text"}'`,
    ].join('\n'),
  );
});
