/** A request that the API would read, made from the description of an operation. */
import { resolve, type JsonSchema, type Schemas } from './schema.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: JsonSchema;
}

export interface ExampleOperation {
  method: string;
  path: string;
  parameters: readonly Parameter[];
  body: JsonSchema | undefined;
  /** The type of the body; a form is sent by `-F`. */
  bodyType: string | undefined;
  /** `key`: an API key; `session`: a system access token with the user's id; `none`: public. */
  proof: 'key' | 'session' | 'none';
}

/** Values for names whose schema says less than the server checks. */
const KNOWN: Readonly<Record<string, unknown>> = {
  email: 'anna@example.com',
  month: '2026-11',
  model: 'gpt-4o-mini',
  password: 'a-long-password',
  url: 'https://example.com',
  base_url: 'https://api.openai.com',
  suffixes: 'aB3dE5',
};

export function exampleValue(given: JsonSchema, schemas: Schemas, name = ''): unknown {
  const schema = resolve(given, schemas);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  if (choice) return exampleValue(choice, schemas, name);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'object':
      return exampleObject(schema, schemas);
    case 'array':
      return [exampleValue(schema.items ?? { type: 'string' }, schemas, name)];
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleText(schema, name);
  }
}

function exampleNumber({ minimum = 1, exclusiveMinimum = 0, multipleOf = 1 }: JsonSchema): number {
  const least = Math.max(minimum, exclusiveMinimum + 1, 1);
  return Math.ceil(least / multipleOf) * multipleOf;
}

function exampleText(schema: JsonSchema, name: string): string {
  const known = KNOWN[name];
  if (typeof known === 'string') return known;
  if (schema.format === 'email') return 'anna@example.com';
  if (schema.format === 'uri') return 'https://example.com';
  if (schema.format === 'uuid') return '0198c0de-7a11-7c0d-8e00-9b1f2c3d4e5f';
  if (schema.pattern !== undefined && /\\d\{4\}-/.test(schema.pattern)) return '2026-11';
  return 'text'.padEnd(schema.minLength ?? 0, 't');
}

/** Required members; all of an object that requires none. */
function exampleObject(schema: JsonSchema, schemas: Schemas): Record<string, unknown> {
  const members = Object.entries(schema.properties ?? {});
  const required = members.filter(([name]) => schema.required?.includes(name));
  const shown = required.length > 0 ? required : members;
  return Object.fromEntries(shown.map(([name, member]) => [name, exampleValue(member, schemas, name)]));
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export function curlOf(operation: ExampleOperation, address: string, schemas: Schemas): string {
  const { method, parameters, body, bodyType, proof } = operation;
  const value = ({ name, schema }: Parameter) => String(exampleValue(schema, schemas, name));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
    return encodeURIComponent(parameter ? value(parameter) : name);
  });
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map((one) => `${one.name}=${encodeURIComponent(value(one))}`)
    .join('&');
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${address}${path}${query === '' ? '' : `?${query}`}`)}`,
    ...(proof === 'none'
      ? []
      : [`  -H "Authorization: Bearer $${proof === 'key' ? 'KEY' : 'ACCESS_TOKEN'}"`]),
    ...(proof === 'session' ? ['  -H "New-Api-User: $USER_ID"'] : []),
    ...bodyLines(body, bodyType, schemas),
  ];
  return lines.join(' \\\n');
}

function bodyLines(body: JsonSchema | undefined, type: string | undefined, schemas: Schemas): string[] {
  if (!body) return [];
  const value = exampleValue(body, schemas);
  if (type === 'multipart/form-data')
    return [`  -F ${quoted('model=gpt-4o-mini')}`, `  -F ${quoted('file=@input')}`];
  return [`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(value))}`];
}
