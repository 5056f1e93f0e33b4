// What a client sends, brought to the names and types of the schema. Attributes that the schema does not have are left out, as are
// those that only the server writes.
import type { Json, Resource } from './filter.ts';
import { invalidValue } from './problem.ts';
import { nameIn, topAttributes, type Attribute, type ResourceDefinition } from './schema.ts';

const LONGEST_TEXT = 1000;
const MOST_VALUES = 100;
/** Of a group: the whole list comes with a PUT. */
const MOST_MEMBERS = 10_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function accept(definition: ResourceDefinition, body: unknown): Resource {
  if (!isObject(body)) throw invalidValue('The resource is no JSON object.');
  const accepted: Resource = {};
  for (const [name, value] of Object.entries(body)) {
    const extension = definition.extensions.find(({ schema }) => schema.toLowerCase() === name.toLowerCase());
    if (extension !== undefined) {
      const part = acceptParts(extension.attributes, value, extension.name);
      if (Object.keys(part).length > 0) accepted[extension.schema] = part;
      continue;
    }
    const attribute = nameIn(topAttributes(definition), name);
    if (attribute === undefined || attribute.mutability === 'readOnly') continue;
    const taken = acceptValue(attribute, value);
    if (taken !== undefined) accepted[attribute.name] = taken;
  }
  return accepted;
}

/** Undefined: no value. */
export function acceptValue(attribute: Attribute, value: unknown): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued)
    return acceptOne(attribute, Array.isArray(value) && value.length === 1 ? value[0] : value);
  const list = Array.isArray(value) ? value : [value];
  const most = attribute.name === 'members' ? MOST_MEMBERS : MOST_VALUES;
  if (list.length > most) throw invalidValue(`${attribute.name} has at most ${most} values.`);
  const taken = list.map((each) => acceptOne(attribute, each)).filter((each) => each !== undefined);
  return taken.length === 0 ? undefined : onePrimary(taken);
}

/** At most one is the primary one: the last that says so. */
export function onePrimary(list: Json[]): Json[] {
  const primary = list.findLastIndex((each) => isObject(each) && each['primary'] === true);
  return list.map((each, index) =>
    index !== primary && isObject(each) && each['primary'] === true ? { ...each, primary: false } : each,
  );
}

function acceptOne(attribute: Attribute, value: unknown): Json | undefined {
  if (value === null || value === undefined) return undefined;
  switch (attribute.type) {
    case 'boolean':
      return acceptFlag(attribute, value);
    case 'complex': {
      // Some providers send the bare value.
      const parts = typeof value === 'string' ? { value } : value;
      const taken = acceptParts(attribute.subAttributes, parts, attribute.name);
      return Object.keys(taken).length === 0 ? undefined : taken;
    }
    default:
      return acceptText(attribute, value);
  }
}

/** Entra writes texts. */
function acceptFlag({ name }: Attribute, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw invalidValue(`${name} must be true or false.`);
}

function acceptText({ name }: Attribute, value: unknown): string | undefined {
  if (typeof value !== 'string') throw invalidValue(`${name} must be a text.`);
  if (value.length > LONGEST_TEXT) throw invalidValue(`${name} has at most ${LONGEST_TEXT} characters.`);
  if (value.includes('\u0000')) throw invalidValue(`${name} has a character that cannot be stored.`);
  return value === '' ? undefined : value;
}

function acceptParts(attributes: readonly Attribute[], value: unknown, name: string): Record<string, Json> {
  if (!isObject(value)) throw invalidValue(`${name} must be an object.`);
  const parts: Record<string, Json> = {};
  for (const [each, part] of Object.entries(value)) {
    const attribute = nameIn(attributes, each);
    if (attribute === undefined || attribute.mutability === 'readOnly') continue;
    const taken = acceptValue(attribute, part);
    if (taken !== undefined) parts[attribute.name] = taken;
  }
  return parts;
}
