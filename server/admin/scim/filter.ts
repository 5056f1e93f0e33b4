// Whether a resource passes a filter (RFC 7644, 3.4.2.2). Texts are compared without case unless the schema says otherwise.
import type { Filter } from './filter-syntax.ts';
import { ScimProblem } from './problem.ts';
import { resolvePath } from './path.ts';
import { nameIn, type Attribute, type ResourceDefinition } from './schema.ts';

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type Resource = Record<string, Json>;

type Comparison = Extract<Filter, { compValue: unknown }>;
type Value = { value: Json; attribute: Attribute };

/** Finds the values of a path in what is tested: a whole resource, or one entry of a list. */
type Find = (path: string) => Value[];

const invalidFilter = (detail: string) => new ScimProblem(400, detail, 'invalidFilter');

export function matches(definition: ResourceDefinition, resource: Resource, filter: Filter): boolean {
  return passes(filter, (path) => valuesAt(definition, resource, path), definition);
}

/** Whether one entry of a list passes the filter in brackets behind its name. */
export function entryMatches(attribute: Attribute, entry: Json, filter: Filter): boolean {
  return passes(filter, (path) => {
    const sub = nameIn(attribute.subAttributes, path);
    if (sub === undefined) throw invalidFilter(`${path.slice(0, 100)} is no part of ${attribute.name}.`);
    return partsOf(isObject(entry) ? entry[sub.name] : undefined, sub);
  });
}

function passes(filter: Filter, find: Find, definition?: ResourceDefinition): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((each) => passes(each, find, definition));
    case 'or':
      return filter.filters.some((each) => passes(each, find, definition));
    case 'not':
      return !passes(filter.filter, find, definition);
    case '[]': {
      const { attrPath, valFilter } = filter;
      const found = definition && resolvePath(definition, attrPath);
      const { attribute } = found ?? {};
      if (attribute?.type !== 'complex') throw invalidFilter(`${attrPath.slice(0, 100)} has no parts.`);
      return find(attrPath).some(({ value }) => entryMatches(attribute, value, valFilter));
    }
    case 'pr':
      return find(filter.attrPath).some(({ value }) => isPresent(value));
    default:
      return compare(find(filter.attrPath), filter);
  }
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPresent = (value: Json): boolean =>
  value !== null && value !== '' && (!isObject(value) || Object.keys(value).length > 0);

function valuesAt(definition: ResourceDefinition, resource: Resource, path: string): Value[] {
  const found = resolvePath(definition, path);
  if (found?.attribute === undefined)
    throw invalidFilter(`${path.slice(0, 100)} is no attribute of ${definition.name}.`);
  const { extension, attribute, sub } = found;
  const holder = extension === undefined ? resource : resource[extension];
  const values = partsOf(isObject(holder) ? holder[attribute.name] : undefined, attribute);
  if (sub === undefined) return values;
  return values.flatMap(({ value }) => partsOf(isObject(value) ? value[sub.name] : undefined, sub));
}

function partsOf(value: Json | undefined, attribute: Attribute): Value[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map((each) => ({ value: each, attribute }));
}

/** One of several values is enough; `ne` needs that none is equal. */
function compare(values: readonly Value[], { op, compValue }: Comparison): boolean {
  if (op === 'ne') return !values.some((each) => holds(each, 'eq', compValue));
  if (compValue === null) return op === 'eq' && !values.some(({ value }) => isPresent(value));
  return values.some((each) => holds(each, op, compValue));
}

function holds(found: Value, op: Comparison['op'], wanted: Comparison['compValue']): boolean {
  // A list of objects is compared by `value`.
  const { value, attribute } = isObject(found.value)
    ? { value: found.value['value'] ?? null, attribute: nameIn(found.attribute.subAttributes, 'value') }
    : found;
  if (attribute === undefined)
    throw invalidFilter(`${found.attribute.name} cannot be compared: name one of its parts.`);
  if (attribute.type === 'boolean') {
    if (op !== 'eq')
      throw invalidFilter(`${attribute.name} is true or false: only eq, ne and pr compare it.`);
    return value === wanted;
  }
  if (typeof value !== 'string' || typeof wanted !== 'string') return op === 'eq' && value === wanted;
  const isTime = attribute.type === 'dateTime' && !Number.isNaN(Date.parse(wanted));
  if (isTime && !['co', 'sw', 'ew'].includes(op)) return ordered(Date.parse(value), op, Date.parse(wanted));
  const [left, right] = attribute.caseExact ? [value, wanted] : [value.toLowerCase(), wanted.toLowerCase()];
  switch (op) {
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    default:
      return ordered(left, op, right);
  }
}

function ordered<Value extends string | number>(left: Value, op: string, right: Value): boolean {
  switch (op) {
    case 'eq':
      return left === right;
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    case 'le':
      return left <= right;
    default:
      throw invalidFilter(`${op} is no operator.`);
  }
}

/** The text that an attribute must equal for the filter to pass, where that is certain: the database looks it up then. */
export function requiredText(filter: Filter, name: string): string | undefined {
  if (filter.op === 'and') {
    for (const each of filter.filters) {
      const found = requiredText(each, name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (filter.op !== 'eq' || filter.attrPath.toLowerCase() !== name.toLowerCase()) return undefined;
  return typeof filter.compValue === 'string' ? filter.compValue : undefined;
}
