/** The API description of the running server, read into operations by group. */
import { queryOptions } from '@tanstack/react-query';
import type { Access } from '#contract/access.ts';
import type { Language } from '#contract/language.ts';
import type { ExampleOperation, Parameter } from './example.ts';
import type { JsonSchema, Schemas } from './schema.ts';

interface Content {
  schema: JsonSchema;
}

interface RawOperation {
  operationId: string;
  tags: string[];
  summary: string;
  'x-access'?: Access;
  'x-errors'?: string[];
  'x-session-only'?: true;
  'x-step-up'?: true;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<string, { content?: Record<string, Content> }>;
}

export interface ApiDescription {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface Operation extends ExampleOperation {
  id: string;
  group: string;
  summary: string;
  access: Access | 'key';
  errors: readonly string[];
  isSessionOnly: boolean;
  needsStepUp: boolean;
  /** `data` of the envelope; undefined for model calls and answers without data. */
  data: JsonSchema | undefined;
}

function operationOf(path: string, method: string, raw: RawOperation): Operation {
  const [bodyType, body] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  const [answer] = raw.responses['200']?.content?.['application/json']?.schema.oneOf ?? [];
  const access = raw['x-access'] ?? 'key';
  const isOpen = access === 'public' || access === 'visitor';
  return {
    id: raw.operationId,
    group: raw.tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    summary: raw.summary,
    access,
    errors: raw['x-errors'] ?? [],
    isSessionOnly: raw['x-session-only'] === true,
    needsStepUp: raw['x-step-up'] === true,
    parameters: raw.parameters ?? [],
    body: body?.schema,
    bodyType,
    proof: access === 'key' ? 'key' : isOpen ? 'none' : 'session',
    data: answer?.properties?.['data'],
  };
}

export function operationsOf(description: ApiDescription): Operation[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, raw]) => operationOf(path, method, raw)),
  );
}

export const referenceQuery = (language: Language) =>
  queryOptions({
    queryKey: ['api-description', language],
    queryFn: async ({ signal }): Promise<{ operations: Operation[]; schemas: Schemas }> => {
      const answer = await fetch(`/api/openapi.json?lang=${language}`, { signal });
      if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
      const description = (await answer.json()) as ApiDescription;
      return { operations: operationsOf(description), schemas: description.components.schemas };
    },
    staleTime: Infinity,
  });
