// OpenAPI, made from the endpoint declarations, and a page that shows it, in both languages.
import type { z } from 'zod';
import type { AnyEndpoint, Api } from '#contract/endpoint.ts';
import { LANGUAGES, type Language } from '#contract/language.ts';
import { documentationPage } from './openapi-page.ts';
import { schemaOf, type JsonSchema, type Operation } from './openapi-schema.ts';

export interface Documentation {
  json(language: Language): Response;
  /** `asked` is the language chosen on the page; it takes precedence over the browser's. */
  page(asked: string | undefined, language: Language): Response;
}

export function createDocumentation(api: Api, version: string): Documentation {
  const operations = Object.entries(api).flatMap(([tag, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]) => ({ tag, name, endpoint })),
  );
  const json = new Map<Language, string>();
  const pages = new Map<Language, string>();

  function jsonFor(language: Language): string {
    const made = json.get(language) ?? JSON.stringify(openApi(operations, version, language));
    json.set(language, made);
    return made;
  }

  function pageFor(language: Language): string {
    const made = pages.get(language) ?? documentationPage(operations, version, language);
    pages.set(language, made);
    return made;
  }

  return {
    json: (language) =>
      new Response(jsonFor(language), {
        headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' },
      }),
    page(asked, language) {
      const chosen = LANGUAGES.find((candidate) => candidate === asked) ?? language;
      return new Response(pageFor(chosen), {
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Cache-Control': 'no-cache',
          'Content-Security-Policy':
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        },
      });
    },
  };
}

function openApi(operations: readonly Operation[], version: string, language: Language): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const methods = (paths[operation.endpoint.path] ??= {});
    methods[operation.endpoint.method.toLowerCase()] = describe(operation, language);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-sid' },
        accessToken: { type: 'http', scheme: 'bearer' },
        userId: { type: 'apiKey', in: 'header', name: 'New-Api-User' },
      },
    },
  };
}

function describe({ tag, name, endpoint }: Operation, language: Language): JsonSchema {
  const open = endpoint.access === 'public' || endpoint.access === 'visitor';
  const body = schemaOf(endpoint.body, 'input');
  return {
    operationId: `${tag}.${name}`,
    tags: [tag],
    summary: endpoint.summary[language],
    'x-access': endpoint.access,
    ...(open ? { security: [] } : { security: signedIn(endpoint) }),
    parameters: [...parametersOf(endpoint.params, 'path'), ...parametersOf(endpoint.query, 'query')],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: envelopeSchema(endpoint) } } },
    },
  };
}

function signedIn(endpoint: AnyEndpoint): JsonSchema[] {
  const session = { session: [], userId: [] };
  return endpoint.sessionOnly ? [session] : [session, { accessToken: [], userId: [] }];
}

function parametersOf(schema: z.ZodType, place: 'path' | 'query'): JsonSchema[] {
  const object = schemaOf(schema, 'input');
  const properties = (object?.['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = new Set((object?.['required'] ?? []) as string[]);
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.has(name),
    schema: property,
  }));
}

function envelopeSchema(endpoint: AnyEndpoint): JsonSchema {
  const extra = schemaOf(endpoint.extra, 'output');
  return {
    type: 'object',
    required: ['success', 'message'],
    properties: {
      success: { type: 'boolean' },
      message: { type: 'string' },
      code: { type: 'string' },
      data: schemaOf(endpoint.returns, 'output') ?? { type: 'null' },
      ...((extra?.['properties'] ?? {}) as JsonSchema),
    },
  };
}
