// OpenAPI, made from the endpoint declarations, in both languages. The console shows it at /docs/api.
import type { z } from 'zod';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import type { AnyEndpoint, Api } from '#contract/endpoint.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { LANGUAGES, languageOf, type Language } from '#contract/language.ts';
import { sessionCookieName } from './cookie.ts';
import { RELAY_TAG, RELAY_COMPONENTS, relayPaths } from './openapi-relay.ts';
import {
  nameSchemas,
  schemaOf,
  type JsonSchema,
  type NamedSchemas,
  type Operation,
} from './openapi-schema.ts';

/** Who reads it: `asked` is the `lang` of the address; it takes precedence over the header. */
export interface Reader {
  asked: string | undefined;
  acceptLanguage: string | null;
  isSecure: boolean;
}

export interface Documentation {
  json(reader: Reader): Response;
}

/** English for programs, which send no language: tools that read the document make names and comments of it. */
function languageFor({ asked, acceptLanguage }: Reader): Language {
  return LANGUAGES.find((language) => language === asked) ?? languageOf(acceptLanguage, 'en');
}

export function createDocumentation(api: Api, version: string): Documentation {
  const operations = Object.entries(api).flatMap(([tag, endpoints]) =>
    Object.entries(endpoints).map(([name, endpoint]) => ({ tag, name, endpoint })),
  );
  const made = new Map<string, string>();

  return {
    json(reader) {
      const language = languageFor(reader);
      const cookie = sessionCookieName(reader.isSecure);
      const key = `${cookie} ${language}`;
      const text = made.get(key) ?? JSON.stringify(openApi(operations, version, language, cookie));
      made.set(key, text);
      return new Response(text, {
        headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' },
      });
    },
  };
}

function openApi(
  operations: readonly Operation[],
  version: string,
  language: Language,
  cookie: string,
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  const named = nameSchemas(operations);
  for (const operation of operations) {
    const methods = (paths[operation.endpoint.path] ??= {});
    methods[operation.endpoint.method.toLowerCase()] = describe(operation, language, named);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tollgate', version },
    servers: [{ url: '/' }],
    tags: [...new Set([RELAY_TAG, ...operations.map(({ tag }) => tag)])].map((name) => ({ name })),
    paths: { ...relayPaths(language), ...paths },
    components: {
      schemas: { ...named.schemas, Refusal: REFUSAL, ModelCallError: RELAY_COMPONENTS.error },
      responses: {
        Refused: refused('Refusal', 'Refused; `code` says why.'),
        ModelCallFailed: refused(
          'ModelCallError',
          'Refused or failed, in the format of the API that was called.',
        ),
      },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: cookie },
        accessToken: { type: 'http', scheme: 'bearer' },
        userId: { type: 'apiKey', in: 'header', name: 'New-Api-User' },
        apiKey: RELAY_COMPONENTS.security,
      },
    },
  };
}

/** Most refusals have status 200 (docs/adr/0004): `success` tells them from answers. */
const REFUSAL = {
  type: 'object',
  required: ['success', 'message', 'code', 'data', 'request_id'],
  properties: {
    success: { const: false },
    message: { type: 'string' },
    code: { type: 'string', enum: Object.keys(ERRORS) },
    data: { type: 'null' },
    request_id: { type: 'string' },
    field: { type: 'string' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
} as const;

function refused(schema: string, description: string): JsonSchema {
  return {
    description,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

function describe({ tag, name, endpoint }: Operation, language: Language, named: NamedSchemas): JsonSchema {
  const open = endpoint.access === 'public' || endpoint.access === 'visitor';
  const body = named.reference(endpoint.body, 'input');
  const statuses = [
    ...(body ? [400, 413] : []),
    ...(open ? [] : [401, 403]),
    ...(endpoint.path.includes('{') ? [404] : []),
    429,
    500,
    503,
  ];
  return {
    operationId: `${tag}.${name}`,
    tags: [tag],
    summary: endpoint.summary[language],
    'x-access': endpoint.access,
    'x-errors': errorsOf(endpoint),
    ...(endpoint.sessionOnly ? { 'x-session-only': true } : {}),
    ...(endpoint.stepUp ? { 'x-step-up': true } : {}),
    ...(endpoint.organization === undefined ? {} : { 'x-organization': endpoint.organization }),
    ...(open ? { security: [] } : { security: signedIn(endpoint) }),
    parameters: [
      ...parametersOf(endpoint.params, 'path'),
      ...parametersOf(endpoint.query, 'query'),
      ...organizationHeader(endpoint, language),
    ],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: {
      200: {
        description: 'OK',
        content: {
          'application/json': {
            schema: { oneOf: [envelopeSchema(endpoint, named), { $ref: '#/components/schemas/Refusal' }] },
          },
        },
      },
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: '#/components/responses/Refused' }] as const),
      ),
    },
  };
}

/** The refusals that follow from the declaration; those of the handler's own rules are in docs/guides/troubleshooting.md. */
function errorsOf(endpoint: AnyEndpoint): ErrorCode[] {
  const open = endpoint.access === 'public' || endpoint.access === 'visitor';
  const hasBody = schemaOf(endpoint.body, 'input') !== null;
  const hasInput =
    hasBody || [endpoint.params, endpoint.query].some((part) => schemaOf(part, 'input') !== null);
  return [
    ...(open ? [] : (['not_signed_in', 'user_header_mismatch'] as const)),
    ...(endpoint.access === 'admin' || endpoint.access === 'root'
      ? (['no_permission', 'two_factor_required', 'initial_password'] as const)
      : []),
    ...(endpoint.sessionOnly ? (['session_only'] as const) : []),
    ...(endpoint.organization === undefined ? [] : ORGANIZATION_REFUSALS),
    ...(endpoint.organizationOnly ? (['organization_required'] as const) : []),
    ...(endpoint.stepUp ? (['step_up_required'] as const) : []),
    ...(endpoint.method !== 'GET' || endpoint.acts ? (['cross_site', 'demo_site'] as const) : []),
    ...(hasBody ? (['invalid_json', 'unsupported_media_type', 'body_too_large'] as const) : []),
    ...(hasInput ? (['invalid_parameter'] as const) : []),
    ...(endpoint.path.includes('{') ? (['not_found'] as const) : []),
    'too_many_requests',
    'server_busy',
    'database_unavailable',
    'internal',
  ];
}

const ORGANIZATION_REFUSALS = [
  'organizations_disabled',
  'organization_missing',
  'organization_right_missing',
  'organization_suspended',
] as const satisfies readonly ErrorCode[];

const HEADER_WORDS = {
  zh: '以哪个组织的身份调用；不填为个人。',
  en: "The organization that the call acts for; without it, the caller's own account.",
} as const;

function organizationHeader(endpoint: AnyEndpoint, language: Language): JsonSchema[] {
  if (endpoint.organization === undefined) return [];
  return [
    {
      name: ORGANIZATION_HEADER,
      in: 'header',
      required: endpoint.organizationOnly === true,
      description: HEADER_WORDS[language],
      schema: { type: 'integer', minimum: 1 },
    },
  ];
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

function envelopeSchema(endpoint: AnyEndpoint, named: NamedSchemas): JsonSchema {
  const extra = schemaOf(endpoint.extra, 'output');
  const beside = (extra?.['required'] ?? []) as string[];
  return {
    type: 'object',
    required: ['success', 'message', 'data', ...beside],
    properties: {
      success: { const: true },
      message: { type: 'string' },
      data: named.reference(endpoint.returns, 'output') ?? { type: 'null' },
      ...((extra?.['properties'] ?? {}) as JsonSchema),
    },
  };
}
