// An endpoint's schemas as JSON Schema.
import { z } from 'zod';
import type { AnyEndpoint } from '#contract/endpoint.ts';

export interface Operation {
  tag: string;
  name: string;
  endpoint: AnyEndpoint;
}

export type JsonSchema = Record<string, unknown>;

/** null for a part the endpoint does not have. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema | null {
  if (schema instanceof z.ZodUndefined) return null;
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return described;
}
