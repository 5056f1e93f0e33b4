// Members of a JSON object in its text, so that one value can be read or replaced without rewriting the rest.
import { CLOSE_ARRAY, COMMA, skipSpace, skipValue, walk, type Member } from './read-body.ts';

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
  while (at < text.length && text.charCodeAt(at) !== CLOSE_ARRAY) {
    const end = skipValue(text, at);
    yield text.slice(at, end);
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
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
