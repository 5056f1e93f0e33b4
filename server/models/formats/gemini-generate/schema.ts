// JSON Schema for Gemini, which accepts a part of it and refuses the rest: references are resolved, keywords with an
// equivalent are rewritten, and only the others are removed. And Gemini's schemas back to JSON Schema.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { approximate } from '#server/models/formats/extras.ts';
import { isObject, list, lookup, objects, text, type Json } from '#server/models/formats/json.ts';

/** Keywords copied unchanged. */
const KEPT = new Set([
  'title',
  'description',
  'nullable',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
  'pattern',
  'example',
  'propertyOrdering',
]);
/** Keywords without meaning for the model, dropped without a note. */
const SILENT = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
  'examples',
  'default',
  'strict',
  '$ref',
  '$anchor',
  'unevaluatedProperties',
]);
const FORMATS: Readonly<Record<string, ReadonlySet<string>>> = {
  string: new Set(['enum', 'date-time']),
  number: new Set(['float', 'double']),
  integer: new Set(['int32', 'int64']),
};
/** A circular reference is cut here. */
const MOST_REFERENCES = 12;
const DEEPEST = 32;
const MOST_SCHEMAS = 5000;

interface Walk {
  root: unknown;
  notes: ConversionNote[];
  field: string;
  /** References being resolved. */
  path: readonly string[];
  depth: number;
  /** How many more schemas may be written: references can make a small schema huge. */
  left: { count: number };
}

export function geminiSchema(schema: unknown, field: string, notes: ConversionNote[]): Json {
  return clean(schema, { root: schema, notes, field, path: [], depth: 0, left: { count: MOST_SCHEMAS } });
}

function clean(given: unknown, outer: Walk): Json {
  if (!isObject(given)) return {};
  outer.left.count -= 1;
  const walk = { ...outer, depth: outer.depth + 1 };
  if (walk.depth > DEEPEST || outer.left.count < 0) {
    approximate(walk.notes, walk.field, 'the schema is too large; its depths are left open');
    return { type: 'object' };
  }
  const schema = resolve(given, walk);
  if (schema === undefined) return { type: 'object' };
  const inner = typeof given['$ref'] === 'string' ? { ...walk, path: [...walk.path, given['$ref']] } : walk;
  const merged = merge(schema, inner);
  const cleaned: Json = {};
  for (const [name, value] of Object.entries(merged)) {
    if (KEPT.has(name)) cleaned[name] = value;
    else if (name === 'additionalProperties' && !isObject(value)) continue;
    else if (!HANDLED.has(name) && !SILENT.has(name))
      approximate(walk.notes, walk.field, `Gemini’s schemas have no ${name}`);
  }
  addType(cleaned, merged);
  addBounds(cleaned, merged);
  addFormat(cleaned, merged, walk);
  addEnum(cleaned, merged);
  addParts(cleaned, merged, inner);
  return cleaned;
}

const HANDLED = new Set([
  'type',
  'format',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
]);

/** The schema of a reference, with its sibling members; undefined when it is circular or unknown. */
function resolve(schema: Json, { root, path }: Walk): Json | undefined {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  if (path.length > MOST_REFERENCES || path.filter((known) => known === reference).length > 1)
    return undefined;
  let target: unknown = root;
  if (reference !== '#') {
    if (!reference.startsWith('#/')) return undefined;
    for (const step of reference.slice(2).split('/')) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(target)) target = (target as unknown[])[Number(name)];
      else target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
  }
  if (!isObject(target)) return undefined;
  const { $ref: _reference, ...beside } = schema;
  const found = { ...target, ...beside };
  return typeof target['$ref'] === 'string' ? { ...found, $ref: target['$ref'] } : found;
}

/** `allOf` becomes one schema with the members of all. */
function merge(schema: Json, walk: Walk): Json {
  walk.left.count -= 1;
  if (walk.left.count < 0) return { type: 'object' };
  let merged = schema;
  if (typeof merged['$ref'] === 'string') {
    const next = resolve(merged, walk);
    if (next === undefined) return { type: 'object' };
    merged = merge(next, { ...walk, path: [...walk.path, merged['$ref']] });
  }
  const all = objects(merged['allOf']);
  if (all.length === 0) return merged;
  const { allOf: _all, ...rest } = merged;
  return all.reduce<Json>((whole, part) => {
    const found = resolve(part, walk);
    if (found === undefined) return whole;
    const next = typeof part['$ref'] === 'string' ? { ...walk, path: [...walk.path, part['$ref']] } : walk;
    const piece = merge(found, next);
    const properties = { ...objectOf(whole['properties']), ...objectOf(piece['properties']) };
    const required = [...new Set([...list(whole['required']), ...list(piece['required'])])];
    return {
      ...piece,
      ...whole,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
    };
  }, rest);
}

const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Null among the types becomes `nullable`; several types become alternatives. */
function addType(cleaned: Json, schema: Json): void {
  const { type } = schema;
  if (typeof type === 'string') {
    cleaned['type'] = type;
    return;
  }
  if (!Array.isArray(type)) {
    if (isObject(schema['properties'])) cleaned['type'] = 'object';
    else if (schema['items'] !== undefined) cleaned['type'] = 'array';
    return;
  }
  const types = (type as unknown[]).filter((name) => typeof name === 'string' && name !== 'null');
  if (types.length < type.length) cleaned['nullable'] = true;
  if (types.length === 1) cleaned['type'] = types[0];
  else if (types.length > 1) cleaned['anyOf'] = types.map((name) => ({ type: name }));
}

function addBounds(cleaned: Json, schema: Json): void {
  const step = schema['type'] === 'integer' ? 1 : 0;
  const above = schema['exclusiveMinimum'];
  const below = schema['exclusiveMaximum'];
  if (typeof above === 'number' && cleaned['minimum'] === undefined) cleaned['minimum'] = above + step;
  if (typeof below === 'number' && cleaned['maximum'] === undefined) cleaned['maximum'] = below - step;
}

function addFormat(cleaned: Json, schema: Json, { notes, field }: Walk): void {
  const format = text(schema['format']);
  if (format === '') return;
  if (lookup(FORMATS, text(cleaned['type']))?.has(format) === true) cleaned['format'] = format;
  else approximate(notes, field, `Gemini’s schemas have no format ${format}`);
}

/** Gemini's enums are strings; other values go into the description. */
function addEnum(cleaned: Json, schema: Json): void {
  const values = schema['const'] === undefined ? list(schema['enum']) : [schema['const']];
  if (values.length === 0) return;
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === values.length) {
    cleaned['type'] ??= 'string';
    // Gemini refuses an empty string in an enum.
    const shown = texts.filter((value) => value !== '');
    if (shown.length > 0) cleaned['enum'] = shown;
    return;
  }
  if (values.includes(null)) cleaned['nullable'] = true;
  const allowed = `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const described = text(cleaned['description']);
  cleaned['description'] = described === '' ? allowed : `${described} ${allowed}`;
}

function addParts(cleaned: Json, schema: Json, walk: Walk): void {
  const properties = schema['properties'];
  if (isObject(properties)) {
    const entries = Object.entries(properties).map(([name, value]) => [name, clean(value, walk)] as const);
    // Gemini refuses an empty `properties`.
    if (entries.length > 0) cleaned['properties'] = Object.fromEntries(entries);
    const required = list(schema['required']).filter(
      (name) => typeof name === 'string' && Object.hasOwn(properties, name),
    );
    if (required.length > 0) cleaned['required'] = required;
  }
  const items = Array.isArray(schema['items']) ? schema['items'] : schema['prefixItems'];
  if (Array.isArray(items)) {
    const kinds = objects(items).map((item) => clean(item, walk));
    cleaned['items'] = kinds.length === 1 ? (kinds[0] ?? {}) : { anyOf: kinds };
  } else if (schema['items'] !== undefined) cleaned['items'] = clean(schema['items'], walk);
  else if (cleaned['type'] === 'array') cleaned['items'] = { type: 'string' };
  const alternatives = [...objects(schema['anyOf']), ...objects(schema['oneOf'])];
  if (alternatives.length > 0) addAlternatives(cleaned, alternatives, walk);
}

/** An alternative of null becomes `nullable`; a single alternative replaces the list. */
function addAlternatives(cleaned: Json, alternatives: readonly Json[], walk: Walk): void {
  const others = alternatives.filter((schema) => schema['type'] !== 'null');
  if (others.length < alternatives.length) cleaned['nullable'] = true;
  const [only] = others;
  if (others.length === 1 && only !== undefined) {
    for (const [name, value] of Object.entries(clean(only, walk))) cleaned[name] ??= value;
    return;
  }
  cleaned['anyOf'] = others.map((schema) => clean(schema, walk));
}

const SCHEMAS_BY_NAME = new Set(['properties', '$defs', 'definitions', 'patternProperties']);
const SCHEMAS_IN_LIST = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);

/**
 * Gemini's schema as JSON Schema: lower-case types, numbers as numbers, null as a type. Clients put either kind under either
 * name, so this reads both.
 */
export function jsonSchema(given: unknown, depth = 0): unknown {
  if (!isObject(given) || depth > DEEPEST) return given;
  const schema: Json = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === 'type' && typeof value === 'string') schema['type'] = value.toLowerCase();
    else if (name === 'nullable' || name === 'propertyOrdering') continue;
    else if (SCHEMAS_BY_NAME.has(name) && isObject(value)) {
      const entries = Object.entries(value).map(
        ([property, inner]) => [property, jsonSchema(inner, depth + 1)] as const,
      );
      schema[name] = Object.fromEntries(entries);
    } else if (name === 'items' || name === 'additionalProperties')
      schema[name] = jsonSchema(value, depth + 1);
    else if (SCHEMAS_IN_LIST.has(name))
      schema[name] = list(value).map((inner) => jsonSchema(inner, depth + 1));
    else if (/^(min|max)(Items|Length|Properties)$/.test(name)) schema[name] = Number(value);
    else schema[name] = value;
  }
  const order = list(given['propertyOrdering']).filter((name) => typeof name === 'string');
  if (order.length > 0 && isObject(schema['properties']))
    schema['properties'] = inOrder(schema['properties'], order);
  if (given['nullable'] !== true) return schema;
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  schema['type'] = [schema['type'], 'null'];
  return schema;
}

/** Models write members in the order in which a schema names them. */
function inOrder(properties: Json, order: readonly string[]): Json {
  const named = order.filter((name) => Object.hasOwn(properties, name));
  return Object.fromEntries(
    [...new Set([...named, ...Object.keys(properties)])].map((name) => [name, properties[name]]),
  );
}
