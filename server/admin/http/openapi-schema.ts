// The endpoints' schemas as JSON Schema, and as the named schemas of an OpenAPI document.
import { z } from 'zod';
import type { AnyEndpoint } from '#contract/endpoint.ts';
import { exportedNames, pascalCase } from './openapi-names.ts';

export interface Operation {
  tag: string;
  name: string;
  endpoint: AnyEndpoint;
}

export type JsonSchema = Record<string, unknown>;

/** null for a part the endpoint does not have. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema | null {
  if (schema instanceof z.ZodUndefined) return null;
  return withoutMarks(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
}

/** Removes the members that only the root of a document may have. */
function withoutMarks(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id'));
}

export interface NamedSchemas {
  /** For `components.schemas`. */
  schemas: Record<string, JsonSchema>;
  /** A reference to the named schema; null for a part the endpoint does not have. */
  reference(schema: z.ZodType, io: 'input' | 'output'): JsonSchema | null;
}

const PLACE = '#/components/schemas/';

/** Bodies and answers of all operations. What a schema means for requests may differ (defaults), so those end in `Input`. */
export function nameSchemas(operations: readonly Operation[]): NamedSchemas {
  const input = new NameList('Input');
  const output = new NameList('');
  for (const { tag, name, endpoint } of operations) {
    const stem = `${pascalCase(tag)}${pascalCase(name)}`;
    input.add(endpoint.body, `${stem}Body`);
    output.add(endpoint.returns, `${stem}Data`);
  }
  const all = { ...input.schemas('input'), ...output.schemas('output') };
  const used = reachable(all, [...input.wanted, ...output.wanted]);
  return {
    schemas: Object.fromEntries(Object.entries(all).filter(([name]) => used.has(name))),
    reference: (schema, io) => (io === 'input' ? input : output).reference(schema),
  };
}

class NameList {
  readonly wanted = new Set<string>();
  readonly #registry = z.registry<{ id: string }>();
  readonly #names: Map<z.ZodType, string>;

  constructor(suffix: string) {
    this.#names = new Map([...exportedNames()].map(([schema, name]) => [schema, `${name}${suffix}`]));
    for (const [schema, id] of this.#names) this.#registry.add(schema, { id });
  }

  add(schema: z.ZodType, name: string): void {
    if (schema instanceof z.ZodUndefined) return;
    const known = this.#names.get(schema);
    if (known === undefined) {
      this.#names.set(schema, name);
      this.#registry.add(schema, { id: name });
    }
    this.wanted.add(known ?? name);
  }

  reference(schema: z.ZodType): JsonSchema | null {
    const name = this.#names.get(schema);
    return name === undefined ? null : { $ref: `${PLACE}${name}` };
  }

  schemas(io: 'input' | 'output'): Record<string, JsonSchema> {
    const uri = (id: string) => `${PLACE}${id}`;
    const { schemas } = z.toJSONSchema(this.#registry, { io, uri, unrepresentable: 'any' });
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutMarks(schema)]));
  }
}

function reachable(schemas: Record<string, JsonSchema>, names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  // A set visits what is added to it while it is walked.
  for (const name of found)
    for (const [, inner = ''] of JSON.stringify(schemas[name] ?? {}).matchAll(
      /"\$ref":"#\/components\/schemas\/(\w+)"/g,
    ))
      found.add(inner);
  return found;
}
