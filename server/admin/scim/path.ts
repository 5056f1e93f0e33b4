// Attribute paths: `userName`, `name.familyName`, `emails[type eq "work"].value`, each with or without the URN of its schema.
import { parseFilter, type Filter } from './filter-syntax.ts';
import { invalidPath } from './problem.ts';
import { nameIn, topAttributes, type Attribute, type ResourceDefinition } from './schema.ts';

export interface ResolvedPath {
  /** The URN of an extension, where the value stands under it. */
  extension: string | undefined;
  /** Undefined: the whole extension. */
  attribute: Attribute | undefined;
  sub: Attribute | undefined;
}

export interface PatchPath extends ResolvedPath {
  filter: Filter | undefined;
}

const LONGEST = 1000;

/** Undefined: there is no such attribute. */
export function resolvePath(definition: ResourceDefinition, path: string): ResolvedPath | undefined {
  const { extension, rest } = withoutSchema(definition, path);
  if (rest === '')
    return extension === undefined ? undefined : { extension, attribute: undefined, sub: undefined };
  const [name = '', subName, ...more] = rest.split('.');
  if (more.length > 0) return undefined;
  const among =
    extension === undefined
      ? topAttributes(definition)
      : (definition.extensions.find(({ schema }) => schema === extension)?.attributes ?? []);
  const attribute = nameIn(among, name);
  if (attribute === undefined) return undefined;
  const sub = subName === undefined ? undefined : nameIn(attribute.subAttributes, subName);
  if (subName !== undefined && sub === undefined) return undefined;
  return { extension, attribute, sub };
}

/** The dots in a URN are not those of a path. */
function withoutSchema(definition: ResourceDefinition, path: string) {
  const lower = path.toLowerCase();
  for (const schema of [definition.schema, ...definition.extensions.map((each) => each.schema)]) {
    const prefix = schema.toLowerCase();
    if (lower !== prefix && !lower.startsWith(`${prefix}:`)) continue;
    const rest = path.slice(schema.length + 1);
    return { extension: schema === definition.schema ? undefined : schema, rest };
  }
  return { extension: undefined, rest: path };
}

export function patchPath(definition: ResourceDefinition, text: string): PatchPath {
  if (text.length > LONGEST) throw invalidPath('The path is too long.');
  const open = text.indexOf('[');
  if (open === -1) {
    const found = resolvePath(definition, text);
    if (found === undefined)
      throw invalidPath(`${text.slice(0, 100)} is no attribute of ${definition.name}.`);
    return { ...found, filter: undefined };
  }
  const close = text.lastIndexOf(']');
  const tail = text.slice(close + 1);
  const found =
    close > open && /^(\.[\w$]+)?$/.test(tail)
      ? resolvePath(definition, text.slice(0, open) + tail)
      : undefined;
  if (found?.attribute?.multiValued !== true)
    throw invalidPath(`${text.slice(0, 100)} is no path of ${definition.name}.`);
  return { ...found, filter: parseFilter(text.slice(open + 1, close)) };
}
