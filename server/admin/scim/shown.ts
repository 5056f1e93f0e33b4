// Which attributes an answer has: `attributes` names the only ones, `excludedAttributes` those that are left out.
import { resolvePath, type ResolvedPath } from './path.ts';
import type { Json, Resource } from './filter.ts';
import { topAttributes, type ResourceDefinition } from './schema.ts';

export interface Shown {
  definition: ResourceDefinition;
  only: readonly string[];
  without: readonly string[];
}

/** Names that the schema does not have are passed over. */
const pathsIn = ({ definition }: Shown, names: readonly string[]): ResolvedPath[] =>
  names.flatMap((name) => resolvePath(definition, name) ?? []);

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function shownPart(shown: Shown, resource: Resource): Resource {
  if (shown.only.length > 0) return picked(shown, resource);
  const copy = structuredClone(resource);
  for (const path of pathsIn(shown, shown.without)) drop(copy, path);
  return copy;
}

/** Whether the attribute is in the answer; what is not need not be read. */
export function needs(shown: Shown, name: string): boolean {
  const names = (paths: readonly ResolvedPath[], isWhole: boolean) =>
    paths.some(({ attribute, sub }) => attribute?.name === name && (!isWhole || sub === undefined));
  if (shown.only.length > 0) return names(pathsIn(shown, shown.only), false);
  return !names(pathsIn(shown, shown.without), true);
}

function drop(resource: Resource, { extension, attribute, sub }: ResolvedPath): void {
  if (attribute === undefined) {
    if (extension !== undefined) delete resource[extension];
    return;
  }
  if (attribute.returned === 'always') return;
  const holder = extension === undefined ? resource : resource[extension];
  if (!isObject(holder)) return;
  if (sub === undefined) delete holder[attribute.name];
  else for (const each of entriesIn(holder[attribute.name])) delete each[sub.name];
}

const entriesIn = (value: Json | undefined): { [name: string]: Json }[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => isObject(each));

function picked(shown: Shown, resource: Resource): Resource {
  const always = topAttributes(shown.definition).filter(({ returned }) => returned === 'always');
  const kept: Resource = {};
  for (const { name } of always) if (resource[name] !== undefined) kept[name] = resource[name];
  for (const { extension, attribute, sub } of pathsIn(shown, shown.only)) {
    const from = extension === undefined ? resource : resource[extension];
    if (!isObject(from)) continue;
    if (attribute === undefined) {
      if (extension !== undefined) kept[extension] = from;
      continue;
    }
    const value = from[attribute.name];
    if (value === undefined) continue;
    const known = extension === undefined ? kept : kept[extension];
    const to = isObject(known) ? known : {};
    if (extension !== undefined) kept[extension] = to;
    to[attribute.name] = sub === undefined ? value : withPart(to[attribute.name], value, sub.name);
  }
  return kept;
}

/** Beside the parts that were picked before. */
function withPart(before: Json | undefined, value: Json, name: string): Json {
  const part = (entry: Json, known: Json | undefined): Json =>
    isObject(entry) && entry[name] !== undefined
      ? { ...(isObject(known) ? known : {}), [name]: entry[name] }
      : (known ?? {});
  if (!Array.isArray(value)) return part(value, before);
  return value.map((entry, index) => part(entry, Array.isArray(before) ? before[index] : undefined));
}
