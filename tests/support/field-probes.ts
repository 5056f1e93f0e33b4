// Probes of every member of a request: for each one a request with it and one without it, or with another value of it, that
// differ in nothing else. Built from the shapes of the vendors' types.
import type { Shape } from './sdk-types.ts';

export interface Probe {
  /** The member's path; lists without positions, `tools[].name`. */
  path: string;
  /** The kinds of the objects around it, by their `type`: `tools[web_search].name`. */
  variant: string;
  plain: Record<string, unknown>;
  /** Several when the member is one of some words: it is carried when one of them is. */
  asked: readonly Record<string, unknown>[];
  /** The probe of the object that holds the member. */
  holder: Probe | undefined;
}

export interface ProbeOptions {
  base: Record<string, unknown>;
  /** Values that a type cannot tell, by path or by a member's name: a plain one and one that asks. */
  values: Readonly<Record<string, readonly [plain: unknown, asked: unknown]>>;
  /** Members that one at this path, or of this name, needs beside it. */
  companions?: Readonly<Record<string, Record<string, unknown>>>;
  /** What stands before the item that is probed in a list. */
  before?: Readonly<Record<string, readonly unknown[]>>;
}

type Build = (value: unknown) => Record<string, unknown>;

export function probesOf(
  shape: Shape,
  { base, values, companions = {}, before = {} }: ProbeOptions,
): Probe[] {
  const probes: Probe[] = [];

  const given = (path: string): readonly [unknown, unknown] | undefined => of(values, path);

  /** The least value of a shape. */
  function least(inner: Shape, path: string): unknown {
    const known = given(path);
    if (known !== undefined) return known[0];
    switch (inner.kind) {
      case 'text':
        return 'x';
      case 'number':
        return 1;
      case 'flag':
        return false;
      case 'word':
        return inner.value;
      case 'open':
        return {};
      case 'list':
        return [least(inner.item, `${path}[]`)];
      case 'choice': {
        const plain = inner.options.find(({ kind }) => kind === 'text') ?? inner.options[0];
        return plain === undefined ? {} : least(plain, path);
      }
      default:
        return Object.fromEntries(
          [...inner.members]
            .filter(([, { isRequired }]) => isRequired)
            .map(([name, member]) => [name, least(member.shape, `${path}.${name}`)]),
        );
    }
  }

  /** Values that ask for something; for a choice of words each of them. */
  function samples(inner: Shape, path: string): unknown[] {
    const known = given(path);
    if (known !== undefined) return [known[1]];
    switch (inner.kind) {
      case 'text':
        return ['probe'];
      case 'number':
        return [7];
      case 'flag':
        return [true];
      case 'open':
        return [{ probe: 'probe' }];
      case 'list':
        return samples(inner.item, `${path}[]`).map((item) => [item]);
      case 'choice': {
        const words = inner.options.filter(({ kind }) => kind === 'word' || kind === 'text');
        return (words.length > 0 ? words : inner.options).flatMap((option) => samples(option, path));
      }
      default:
        return [least(inner, path)];
    }
  }

  const isHollow = (inner: Shape, path: string): boolean => {
    if (given(path) !== undefined) return false;
    if (inner.kind === 'list') return isHollow(inner.item, `${path}[]`);
    return inner.kind === 'object' && [...inner.members.values()].every(({ isRequired }) => !isRequired);
  };

  function walk(inner: Shape, path: string, variant: string, build: Build, holder: Probe | undefined): void {
    switch (inner.kind) {
      case 'list':
        walk(
          inner.item,
          `${path}[]`,
          `${variant}[]`,
          (value) => build([...(before[path] ?? []), ...(value === undefined ? [] : [value])]),
          holder,
        );
        return;
      case 'choice':
        for (const option of inner.options) walk(option, path, variant, build, holder);
        return;
      case 'object':
        walkMembers(inner, path, variant, build, holder);
        return;
      default:
    }
  }

  function walkMembers(
    inner: Shape & { kind: 'object' },
    path: string,
    variant: string,
    build: Build,
    above: Probe | undefined,
  ): void {
    const whole = (path === '' ? base : least(inner, path)) as Record<string, unknown>;
    const { type } = whole;
    const named = typeof type === 'string' ? `${variant.replace(/\[\]$/, '')}[${type}]` : variant;
    const holder: Probe | undefined =
      path === ''
        ? undefined
        : { path, variant: named, plain: build(undefined), asked: [build(whole)], holder: above };
    for (const [name, { shape: member, isRequired }] of inner.members) {
      const at = path === '' ? name : `${path}.${name}`;
      const as = path === '' ? name : `${named}.${name}`;
      let own: Probe | undefined;
      if (!(isRequired && member.kind === 'word')) {
        const { [name]: other, ...rest } = { ...whole, ...of(companions, at) };
        const plain = build(isRequired ? { ...rest, [name]: other } : rest);
        const asked = samples(member, at).map((value) => build({ ...rest, [name]: value }));
        own = { path: at, variant: as, plain, asked, holder };
        // A required object has no other value than its members', and an object without members asks for nothing.
        if (!asked.every((body) => Bun.deepEquals(body, plain)) && !isHollow(member, at)) probes.push(own);
      }
      const beside = { ...whole, ...of(companions, at) };
      walk(
        member,
        at,
        as,
        (value) => build(value === undefined ? omit(beside, name) : { ...beside, [name]: value }),
        own ?? holder,
      );
    }
  }

  walk(shape, '', '', (value) => value as Record<string, unknown>, undefined);
  return probes;
}

/** The entry of a path, or of the name at its end. */
function of<Value>(table: Readonly<Record<string, Value>>, path: string): Value | undefined {
  if (Object.hasOwn(table, path)) return table[path];
  const name = path.replace(/^.*[.\]]/, '');
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

const omit = (whole: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
