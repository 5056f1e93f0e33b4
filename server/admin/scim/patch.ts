// PATCH (RFC 7644, 3.5.2): the operations applied to a copy of the resource. Types and bounds are those of `accept`.
import { acceptValue, onePrimary } from './accept.ts';
import { entryMatches, type Json, type Resource } from './filter.ts';
import type { Filter } from './filter-syntax.ts';
import { patchPath, type PatchPath } from './path.ts';
import { invalidPath, invalidValue, ScimProblem } from './problem.ts';
import type { Attribute, ResourceDefinition } from './schema.ts';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const MOST_OPERATIONS = 100;

type Op = 'add' | 'replace' | 'remove';
interface Operation {
  op: Op;
  path: string | undefined;
  value: unknown;
}
type Parts = { [name: string]: Json };

const isObject = (value: unknown): value is Parts =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const noTarget = (path: string) =>
  new ScimProblem(400, `${path.slice(0, 100)} has no value to change.`, 'noTarget');

export function applyPatch(definition: ResourceDefinition, resource: Resource, body: unknown): Resource {
  const patched = structuredClone(resource);
  for (const operation of operationsIn(body)) {
    const { op, path, value } = operation;
    if (path !== undefined) {
      applyAt(patched, patchPath(definition, path), { op, path, value });
      continue;
    }
    if (op === 'remove') throw new ScimProblem(400, 'remove needs a path.', 'noTarget');
    if (!isObject(value)) throw invalidValue('Without a path the value must be an object.');
    for (const [name, each] of Object.entries(value)) {
      if (name.toLowerCase() === 'schemas' || name.toLowerCase() === 'id') continue;
      applyAt(patched, patchPath(definition, name), { op, path: name, value: each });
    }
  }
  return patched;
}

function operationsIn(body: unknown): Operation[] {
  const named = isObject(body)
    ? Object.entries(body).find(([name]) => name.toLowerCase() === 'operations')?.[1]
    : undefined;
  if (!Array.isArray(named) || named.length === 0)
    throw new ScimProblem(400, 'A patch has a list of Operations.', 'invalidSyntax');
  if (named.length > MOST_OPERATIONS)
    throw new ScimProblem(413, `A patch has at most ${MOST_OPERATIONS} operations.`, 'tooMany');
  return named.map((each) => {
    const op = isObject(each) && typeof each['op'] === 'string' ? each['op'].toLowerCase() : '';
    const path = isObject(each) ? each['path'] : undefined;
    if (!isObject(each) || !isOp(op) || (path !== undefined && path !== null && typeof path !== 'string'))
      throw new ScimProblem(400, 'An operation is add, replace or remove.', 'invalidSyntax');
    return { op, path: typeof path === 'string' && path !== '' ? path : undefined, value: each['value'] };
  });
}

const isOp = (text: string): text is Op => text === 'add' || text === 'replace' || text === 'remove';

function applyAt(
  resource: Resource,
  { extension, attribute, sub, filter }: PatchPath,
  operation: Operation & { path: string },
): void {
  const holder = holderIn(resource, extension);
  if (attribute === undefined) {
    applyExtension(resource, extension ?? '', operation);
    return;
  }
  refuseReadOnly(attribute, sub);
  if (attribute.multiValued) applyToList(holder, attribute, sub, filter, operation);
  else if (sub === undefined) applyToValue(holder, attribute, operation);
  else {
    const parts = holder[attribute.name];
    const whole: Parts = isObject(parts) ? parts : {};
    applyToValue(whole, sub, operation);
    setOrDrop(holder, attribute.name, whole);
  }
  if (extension !== undefined) setOrDrop(resource, extension, holder);
}

function holderIn(resource: Resource, extension: string | undefined): Parts {
  if (extension === undefined) return resource;
  const known = resource[extension];
  return isObject(known) ? known : {};
}

/** The whole of an extension, or several attributes of it. */
function applyExtension(resource: Resource, extension: string, { op, value }: Operation): void {
  if (op === 'remove') {
    delete resource[extension];
    return;
  }
  if (!isObject(value)) throw invalidValue(`${extension} must be an object.`);
  // `accept` takes what the schema knows.
  resource[extension] = op === 'replace' ? value : { ...holderIn(resource, extension), ...value };
}

function refuseReadOnly(attribute: Attribute, sub: Attribute | undefined): void {
  const fixed =
    attribute.mutability === 'readOnly' ? attribute : sub?.mutability === 'readOnly' ? sub : undefined;
  if (fixed !== undefined) throw new ScimProblem(400, `${fixed.name} cannot be changed.`, 'mutability');
}

function setOrDrop(holder: Parts, name: string, value: Json | undefined): void {
  const isEmpty =
    value === undefined ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0);
  if (isEmpty) delete holder[name];
  else holder[name] = value;
}

function applyToValue(holder: Parts, attribute: Attribute, { op, value }: Operation): void {
  if (op === 'remove') {
    delete holder[attribute.name];
    return;
  }
  const taken = acceptValue(attribute, value);
  const known = holder[attribute.name];
  const merged = isObject(taken) && isObject(known) ? { ...known, ...taken } : taken;
  setOrDrop(holder, attribute.name, merged);
}

function applyToList(
  holder: Parts,
  attribute: Attribute,
  sub: Attribute | undefined,
  filter: Filter | undefined,
  operation: Operation & { path: string },
): void {
  const known = holder[attribute.name];
  const list: Json[] = Array.isArray(known) ? known : [];
  const after =
    filter === undefined && sub === undefined
      ? wholeList(list, attribute, operation)
      : chosenEntries(list, attribute, { sub, filter }, operation);
  setOrDrop(holder, attribute.name, after);
}

function wholeList(list: Json[], attribute: Attribute, { op, value }: Operation): Json[] {
  const given = acceptValue(attribute, value);
  const values = Array.isArray(given) ? given : [];
  if (op === 'replace') return values;
  if (op === 'add') {
    const added = values.filter((each) => !list.some((entry) => isEqual(entry, each)));
    return withNewPrimary(list, added);
  }
  // Some providers name the entries to remove in the value.
  if (value === undefined || value === null) return [];
  return list.filter((entry) => !values.some((each) => isEqual(entry, each)));
}

/** A new primary one takes the place of the old. */
function withNewPrimary(list: Json[], added: Json[]): Json[] {
  const hasPrimary = added.some((each) => isObject(each) && each['primary'] === true);
  const before = hasPrimary
    ? list.map((each) => (isObject(each) && each['primary'] === true ? { ...each, primary: false } : each))
    : list;
  return [...before, ...added];
}

/** Entries are the same if their `value` is; other objects if all their parts are. */
function isEqual(left: Json, right: Json): boolean {
  if (isObject(left) && isObject(right) && 'value' in left && 'value' in right)
    return left['value'] === right['value'] && (left['type'] ?? '') === (right['type'] ?? left['type'] ?? '');
  return Bun.deepEquals(left, right);
}

function chosenEntries(
  list: Json[],
  attribute: Attribute,
  { sub, filter }: { sub: Attribute | undefined; filter: Filter | undefined },
  operation: Operation & { path: string },
): Json[] {
  const { op, path, value } = operation;
  const isChosen = (entry: Json) => filter === undefined || entryMatches(attribute, entry, filter);
  const chosen = list.filter(isChosen);
  if (op === 'remove') {
    if (sub === undefined) return list.filter((entry) => !isChosen(entry));
    return list.map((entry) => (isChosen(entry) && isObject(entry) ? without(entry, sub.name) : entry));
  }
  const change = changeOf(attribute, sub, value);
  if (chosen.length === 0) {
    if (op === 'replace') throw noTarget(path);
    return [...list, { ...namedBy(filter, attribute, path), ...change }];
  }
  const changed = list.map((entry) => (isChosen(entry) && isObject(entry) ? { ...entry, ...change } : entry));
  return change['primary'] === true ? onlyFirstChosen(list, changed, isChosen) : onePrimary(changed);
}

function onlyFirstChosen(before: Json[], changed: Json[], isChosen: (entry: Json) => boolean): Json[] {
  const primary = before.findIndex(isChosen);
  return changed.map((entry, index) =>
    isObject(entry) && entry['primary'] === true && index !== primary ? { ...entry, primary: false } : entry,
  );
}

function changeOf(attribute: Attribute, sub: Attribute | undefined, value: unknown): Parts {
  if (sub === undefined) {
    const [taken] = [acceptValue({ ...attribute, multiValued: false }, value)];
    if (!isObject(taken)) throw invalidValue(`${attribute.name} needs an object.`);
    return taken;
  }
  const taken = acceptValue(sub, value);
  return taken === undefined ? {} : { [sub.name]: taken };
}

function without(entry: Parts, name: string): Parts {
  const { [name]: _, ...rest } = entry;
  return rest;
}

/** A new entry has what the filter asks for: `emails[type eq "work"].value` makes one of that type. */
function namedBy(filter: Filter | undefined, attribute: Attribute, path: string): Parts {
  if (filter === undefined) return {};
  const terms = filter.op === 'and' ? filter.filters : [filter];
  return Object.fromEntries(
    terms.map((term) => {
      if (term.op !== 'eq' || term.compValue === null) throw noTarget(path);
      const sub = attribute.subAttributes.find(
        ({ name }) => name.toLowerCase() === term.attrPath.toLowerCase(),
      );
      if (sub === undefined)
        throw invalidPath(`${term.attrPath.slice(0, 100)} is no part of ${attribute.name}.`);
      return [sub.name, term.compValue];
    }),
  );
}
