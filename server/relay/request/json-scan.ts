// Finds the top-level members of a JSON object in its text, so that one value can be replaced without rewriting the rest.
// Bounded in depth and members. A duplicate name is refused, because the upstream might read the other value.

interface Member {
  /** Position of the name's opening quote. */
  start: number;
  valueStart: number;
  valueEnd: number;
}

export type ScanProblem = 'not_an_object' | 'too_deep' | 'too_many_members' | 'duplicate' | 'prototype';

export class ScanError extends Error {
  override name = 'ScanError';
  readonly problem: ScanProblem;
  constructor(problem: ScanProblem) {
    super(problem);
    this.problem = problem;
  }
}

const depthLimit = 100;
const memberLimit = 1000;

const quoteMark = 34;
const backslash = 92;
const openObject = 123;
const closeObject = 125;
const openArray = 91;
const closeArray = 93;
const colon = 58;
const comma = 44;

/**
 * JSON.parse for objects. Too deep a text is refused before parsing; a duplicate name after it, when the text has more
 * members than the object has names.
 */
export function parseObject(text: string): Record<string, unknown> {
  const count = walk(text, undefined);
  const value = JSON.parse(text) as Record<string, unknown>;
  if (Object.hasOwn(value, '__proto__')) throw new ScanError('prototype');
  if (Object.keys(value).length !== count) throw new ScanError('duplicate');
  return value;
}

/** Positions of the members of a text that was parsed before. */
function membersOf(text: string): Map<string, Member> {
  const members = new Map<string, Member>();
  walk(text, members);
  return members;
}

/** The text of one member's value, byte for byte; undefined without it. The text was parsed before. */
export function memberText(text: string, name: string): string | undefined {
  const member = membersOf(text).get(name);
  return member && text.slice(member.valueStart, member.valueEnd);
}

/** The texts of an array's items, byte for byte. The text was parsed before. */
export function* itemTexts(text: string): Generator<string> {
  let at = skipSpace(text, text.indexOf('[') + 1);
  while (at < text.length && text.charCodeAt(at) !== closeArray) {
    const end = skipValue(text, at);
    yield text.slice(at, end);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
}

/** Visits the members, bounded in number and depth. Does not validate: the parser does. */
function walk(text: string, members: Map<string, Member> | undefined): number {
  let at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== openObject) throw new ScanError('not_an_object');
  at = skipSpace(text, at + 1);
  let count = 0;
  while (at < text.length && text.charCodeAt(at) !== closeObject) {
    if (text.charCodeAt(at) !== quoteMark) throw new ScanError('not_an_object');
    const start = at;
    const nameEnd = stringEnd(text, at);
    at = skipSpace(text, nameEnd);
    if (text.charCodeAt(at) !== colon) throw new ScanError('not_an_object');
    const valueStart = skipSpace(text, at + 1);
    const valueEnd = skipValue(text, valueStart);
    count += 1;
    if (count > memberLimit) throw new ScanError('too_many_members');
    members?.set(nameOf(text, start, nameEnd), { start, valueStart, valueEnd });
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
    else if (text.charCodeAt(at) !== closeObject) throw new ScanError('not_an_object');
  }
  return count;
}

function nameOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at;
    at += 1;
  }
}

/** The position after the closing quote. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) throw new ScanError('not_an_object');
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quoteMark) {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (code === openObject || code === openArray) {
      depth += 1;
      if (depth > depthLimit) throw new ScanError('too_deep');
    } else if (code === closeObject || code === closeArray) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (code === comma || code === 32 || code === 10 || code === 13 || code === 9)) {
      return at;
    } else if (Number.isNaN(code)) throw new ScanError('not_an_object');
    at += 1;
  }
}

/** An object's text with some members replaced, removed (`undefined`) or added; every other value stays byte for byte. */
export function patchMembers(text: string, changes: ReadonlyMap<string, string | undefined>): string {
  const members = membersOf(text);
  const added: string[] = [];
  let removes = false;
  for (const [name, value] of changes) {
    if (value === undefined) removes ||= members.has(name);
    else if (!members.has(name)) added.push(`${JSON.stringify(name)}:${value}`);
  }
  return removes ? rebuilt(text, members, changes, added) : edited(text, members, changes, added);
}

/** Rebuilds the object from the remaining members, which avoids the cases of removing commas in place. */
function rebuilt(
  text: string,
  members: ReadonlyMap<string, Member>,
  changes: ReadonlyMap<string, string | undefined>,
  added: readonly string[],
): string {
  const kept = [...added];
  for (const [name, { start, valueStart, valueEnd }] of members) {
    const value = changes.get(name);
    if (value !== undefined) kept.push(text.slice(start, valueStart) + value);
    else if (!changes.has(name)) kept.push(text.slice(start, valueEnd));
  }
  return `{${kept.join(',')}}`;
}

function edited(
  text: string,
  members: ReadonlyMap<string, Member>,
  changes: ReadonlyMap<string, string | undefined>,
  added: readonly string[],
): string {
  let patched = '';
  let at = 0;
  if (added.length > 0) {
    at = text.indexOf('{') + 1;
    patched = text.slice(0, at) + added.join(',') + (members.size === 0 ? '' : ',');
  }
  // In text order.
  for (const [name, { valueStart, valueEnd }] of members) {
    const value = changes.get(name);
    if (value === undefined) continue;
    patched += text.slice(at, valueStart) + value;
    at = valueEnd;
  }
  return patched + text.slice(at);
}
