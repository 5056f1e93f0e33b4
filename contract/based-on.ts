// Two people at once: a save names the values that it was based on. A field that somebody else changed meanwhile is not
// overwritten but refused with 409 `changed_meanwhile` and the value it has now. Optional: a client that sends no base
// overwrites, as before. A base names only values that the API returns to this caller, so it reveals nothing.
import { z } from 'zod';
import type { Text } from './language.ts';

/** Fields of the object as the client read them; any subset. A field that is not named is not compared. */
export const basedOn = z.record(z.string(), z.unknown()).optional();
/** Of a save that gives several objects the same value: by field and id, the value that the client read. */
export const basedOnOfMany = z.record(z.string(), z.record(z.string(), z.unknown())).optional();
export type BasedOn = Readonly<Record<string, unknown>>;

/** A field that the client and somebody else changed to different values. */
export interface ConflictingField {
  field: string;
  /** The value now; absent for a secret. */
  theirs?: unknown;
}

/** Beside `message` in the answer of a refused save. */
export interface Conflict {
  fields: ConflictingField[];
  /** Blank when the server itself or a configuration file made the change, or when it is not known. */
  changed_by: string;
  /** Unix seconds; 0 when it is not known. */
  changed_at: number;
}

/** The one who changed it, for the sentence of `changed_meanwhile`. */
export function changerWords(name: string): Text {
  return name === '' ? { zh: '他人', en: 'somebody else' } : { zh: ` ${name} `, en: name };
}

/** Values as JSON has them: the order of members counts, as it does for the operator who reads them. */
export function sameValue(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; a blank text has none. Undefined for a list and for everything else. */
export function membersOf(text: string): Members | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}

export interface MergedMembers {
  merged: Members;
  /** Names that both changed, to different values; `merged` has those of `mine`. */
  both: readonly string[];
}

/** Theirs with what `mine` changed since `base`: added, changed and deleted members. */
export function mergeMembers(base: Members, theirs: Members, mine: Members): MergedMembers {
  const valueIn = (members: Members, name: string) =>
    Object.hasOwn(members, name) ? JSON.stringify(members[name]) : undefined;
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])];
  const isMine = (name: string) => valueIn(mine, name) !== valueIn(base, name);
  const entries = names.flatMap((name) => {
    const source = isMine(name) ? mine : theirs;
    return Object.hasOwn(source, name) ? [[name, source[name]] as const] : [];
  });
  return {
    merged: Object.fromEntries(entries),
    both: names.filter(
      (name) =>
        isMine(name) &&
        valueIn(theirs, name) !== valueIn(base, name) &&
        valueIn(theirs, name) !== valueIn(mine, name),
    ),
  };
}
