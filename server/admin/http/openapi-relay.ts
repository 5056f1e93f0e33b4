// The model calls in the API description. Bodies and answers are those of the vendors' APIs, which their own documents describe:
// here is what can be called, with which key, and how errors look.
import type { Language, Text } from '#contract/language.ts';
import {
  compactEndpoint,
  geminiEndpoints,
  relayEndpoints,
  type RelayEndpoint,
} from '#server/relay/request/endpoints.ts';
import { LISTINGS } from './openapi-listings.ts';
import type { JsonSchema } from './openapi-schema.ts';

const BODY: Text = {
  zh: '{format} 格式的请求体；未知字段原样转发。',
  en: 'A body in the format {format}; fields that the gateway does not know are passed on.',
};

export const RELAY_TAG = 'models';

export const RELAY_COMPONENTS = {
  error: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message', 'type', 'code'],
        properties: {
          message: { type: 'string' },
          type: { type: 'string' },
          param: { type: ['string', 'null'] },
          code: { type: ['string', 'null'] },
        },
      },
    },
  },
  security: { type: 'http', scheme: 'bearer', description: 'sk-…' },
} as const;

/** Path → method → operation. */
export function relayPaths(language: Language): Record<string, Record<string, JsonSchema>> {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const add = (method: string, path: string, operation: JsonSchema) => {
    (paths[path] ??= {})[method] = {
      operationId: `${RELAY_TAG}.${method}${path.replaceAll(/[^a-z0-9]+/gi, '_')}`,
      tags: [RELAY_TAG],
      security: [{ apiKey: [] }],
      parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...operation,
      responses: {
        200: answer(path),
        default: { $ref: '#/components/responses/ModelCallFailed' },
      },
    };
  };
  for (const endpoint of [...relayEndpoints, compactEndpoint, ...Object.values(geminiEndpoints)])
    add('post', endpoint.path, { summary: endpoint.format, requestBody: bodyOf(endpoint, language) });
  for (const { method, path, summary } of LISTINGS) add(method, path, { summary: summary[language] });
  return paths;
}

function bodyOf({ format, body, modelInPath, defaultModel }: RelayEndpoint, language: Language): JsonSchema {
  const type = body === 'json' ? 'application/json' : 'multipart/form-data';
  const needsModel = !modelInPath && defaultModel === undefined;
  const schema = {
    type: 'object',
    description: BODY[language].replace('{format}', format),
    ...(needsModel ? { required: ['model'] } : {}),
    ...(modelInPath ? {} : { properties: { model: { type: 'string', default: defaultModel } } }),
    additionalProperties: true,
  };
  return { required: true, content: { [type]: { schema } } };
}

function answer(path: string): JsonSchema {
  if (path === '/v1/audio/speech')
    return { description: 'OK', content: { 'audio/*': { schema: { type: 'string', format: 'binary' } } } };
  const schema = { type: 'object', additionalProperties: true };
  const events = { 'text/event-stream': { schema: { type: 'string' } } };
  return { description: 'OK', content: { 'application/json': { schema }, ...events } };
}
