/** JSON schemas of the API description as rows of a table. */

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
  default?: unknown;
  description?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  multipleOf?: number;
  minLength?: number;
  minItems?: number;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** By name, as in `components.schemas`. */
export type Schemas = Readonly<Record<string, JsonSchema>>;

export interface FieldRow {
  /** `items[].name` for a member of the entries of a list. */
  name: string;
  type: string;
  isRequired: boolean;
}

/** Deeper members are described by their type only. */
const DEEPEST = 3;

export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema.allOf?.length === 1 ? resolve(schema.allOf[0]!, schemas) : schema;
  return schemas[name] ?? {};
}

const choices = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [];

export function typeText(given: JsonSchema, schemas: Schemas): string {
  const schema = resolve(given, schemas);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (choices(schema).length > 0)
    return [...new Set(choices(schema).map((choice) => typeText(choice, schemas)))].join(' | ');
  if (schema.type === 'array') return `${typeText(schema.items ?? {}, schemas)}[]`;
  if (Array.isArray(schema.type)) return schema.type.join(' | ');
  return schema.type ?? 'any';
}

/** The object in a schema: itself, the entries of a list, or the first choice that is one. */
function objectIn(given: JsonSchema, schemas: Schemas): { schema: JsonSchema; suffix: string } | undefined {
  const schema = resolve(given, schemas);
  if (schema.properties) return { schema, suffix: '' };
  if (schema.items) {
    const inner = objectIn(schema.items, schemas);
    return inner && { ...inner, suffix: `[]${inner.suffix}` };
  }
  for (const choice of choices(schema)) {
    const inner = objectIn(choice, schemas);
    if (inner) return inner;
  }
  return undefined;
}

export function fieldRows(given: JsonSchema, schemas: Schemas, prefix = '', depth = 0): FieldRow[] {
  const found = objectIn(given, schemas);
  if (!found || depth >= DEEPEST) return [];
  const { schema, suffix } = found;
  const before = prefix === '' ? (suffix === '' ? '' : `${suffix}.`) : `${prefix}${suffix}.`;
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    { name: `${before}${name}`, type: typeText(property, schemas), isRequired: required.has(name) },
    ...fieldRows(property, schemas, `${before}${name}`, depth + 1),
  ]);
}
