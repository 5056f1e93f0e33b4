// The shape of a TypeScript type, read through the compiler: for tests that go through every member of a vendor's types.
import { fileURLToPath } from 'node:url';
import { API, type Checker, type Type } from 'typescript/unstable/async';

export type Shape =
  | { kind: 'text' | 'number' | 'flag' | 'open' }
  | { kind: 'word'; value: string | number | boolean }
  | { kind: 'list'; item: Shape }
  | { kind: 'object'; members: ReadonlyMap<string, Member> }
  | { kind: 'choice'; options: readonly Shape[] };

export interface Member {
  shape: Shape;
  isRequired: boolean;
}

// Flags of the compiler's types and symbols.
const anything = 1 | 2 | 131_072;
const nothing = 4 | 8 | 16 | 262_144;
const textual = 32 | 4_194_304 | 8_388_608;
const numeric = 64 | 128;
const logical = 256;
const union = 134_217_728;
const literal = 1024 | 2048 | 8192;
const optional = 16_777_216;

/** Only the vendors' types: the compiler reads the whole product for a file of its own project. */
const smallProject = fileURLToPath(new URL('tsconfig.sdk.json', import.meta.url));

/** The members of the interface `name` in a file of the project, as shapes. */
export async function readShapes(file: URL, name: string): Promise<Map<string, Shape>> {
  const path = fileURLToPath(file);
  const api = new API({ cwd: fileURLToPath(new URL('../..', import.meta.url)) });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [smallProject] });
    const project = snapshot.getProject(smallProject);
    const source = await project?.program.getSourceFile(path);
    if (project === undefined || source === undefined) throw new Error(`no project has ${path}`);
    const { checker } = project;
    const at = source.text.search(new RegExp(`(?<=interface )${name}\\b`));
    const symbol = await checker.getSymbolAtPosition(path, at);
    if (symbol === undefined) throw new Error(`${path} has no interface ${name}`);
    const shape = await shapeOf(checker, await checker.getDeclaredTypeOfSymbol(symbol), []);
    if (shape.kind !== 'object') throw new Error(`${name} is no object`);
    return new Map([...shape.members].map(([member, { shape: inner }]) => [member, inner]));
  } finally {
    await api.close();
  }
}

async function shapeOf(checker: Checker, type: Type, path: readonly number[]): Promise<Shape> {
  const { flags } = type;
  if ((flags & anything) !== 0) return { kind: 'open' };
  if (type.isLiteralType() && (flags & literal) !== 0 && typeof type.value !== 'bigint')
    return { kind: 'word', value: type.value };
  if ((flags & textual) !== 0) return { kind: 'text' };
  if ((flags & numeric) !== 0) return { kind: 'number' };
  if ((flags & logical) !== 0) return { kind: 'flag' };
  if ((flags & union) !== 0 && type.isUnionType()) {
    const options: Shape[] = [];
    for (const option of await type.getTypes())
      if ((option.flags & nothing) === 0) options.push(await shapeOf(checker, option, path));
    const [only] = options;
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options };
  }
  // `string & {}` keeps the words beside it in an editor's suggestions.
  if (type.isIntersectionType()) {
    const parts = await type.getTypes();
    const plain = parts.find((part) => (part.flags & (textual | numeric)) !== 0);
    if (plain !== undefined) return await shapeOf(checker, plain, path);
  }
  // A type inside itself is left open: its members are known from above.
  if (path.includes(type.id)) return { kind: 'open' };
  const inner = [...path, type.id];
  if (type.isTypeReference() && (await checker.isArrayType(type))) {
    const [item] = await checker.getTypeArguments(type);
    return item === undefined
      ? { kind: 'open' }
      : { kind: 'list', item: await shapeOf(checker, item, inner) };
  }
  const symbols = await checker.getPropertiesOfType(type);
  if (symbols.length === 0) return { kind: 'open' };
  const types = await checker.getTypeOfSymbol(symbols);
  const members = new Map<string, Member>();
  for (const [index, symbol] of symbols.entries()) {
    const given = types[index];
    if (given === undefined) continue;
    const shape = await shapeOf(checker, given, inner);
    members.set(symbol.name, { shape, isRequired: (symbol.flags & optional) === 0 });
  }
  return { kind: 'object', members };
}
