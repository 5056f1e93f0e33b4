/**
 * What two people changed at the same time (contract/based-on.ts): the values of both, and the choice between them. JSON objects
 * are merged by their members, lists are one value. Without React, for unit tests.
 */
import { membersOf, mergeMembers, type BasedOn, type Conflict } from '#contract/based-on.ts';

export type Choice = 'theirs' | 'mine' | 'merged';

export interface Difference {
  field: string;
  label: string;
  base: unknown;
  theirs: unknown;
  mine: unknown;
  /** The words for their value, where it is not one text. */
  theirsText?: string;
  /** Neither value is shown. */
  isSecret: boolean;
  changedBy: string;
  changedAt: number;
}

/** A member that at least one of the two changed; undefined: it is not there. */
export interface MemberLine {
  name: string;
  theirs: string | undefined;
  mine: string | undefined;
  merged: string | undefined;
  /** Both changed it, to different values; the merged value has mine. */
  isBoth: boolean;
}

export interface Merge {
  text: string;
  lines: readonly MemberLine[];
}

/** Undefined unless all three values are texts of JSON objects. */
export function mergeOf({ base, theirs, mine, isSecret }: Difference): Merge | undefined {
  if (isSecret) return undefined;
  const texts = [base, theirs, mine];
  const [old, other, own] = texts.map((value) => (typeof value === 'string' ? membersOf(value) : undefined));
  // Blank texts have no members; two blank ones would make every text an object.
  if (!old || !other || !own || !texts.some((value) => String(value).trim().startsWith('{')))
    return undefined;
  const { merged, both } = mergeMembers(old, other, own);
  const names = [...new Set([...Object.keys(old), ...Object.keys(other), ...Object.keys(own)])];
  const shown = (members: Readonly<Record<string, unknown>>, name: string) =>
    Object.hasOwn(members, name) ? JSON.stringify(members[name]) : undefined;
  const lines = names
    .map((name) => ({
      name,
      theirs: shown(other, name),
      mine: shown(own, name),
      merged: shown(merged, name),
      isBoth: both.includes(name),
      was: shown(old, name),
    }))
    .filter(({ theirs: now, mine: next, was }) => now !== was || next !== was)
    .map(({ was: _was, ...line }) => line);
  return { text: JSON.stringify(merged, null, 2), lines };
}

export function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}

export function chosenValue(difference: Difference, choice: Choice): unknown {
  if (choice === 'merged') return mergeOf(difference)?.text ?? difference.mine;
  return difference[choice];
}

export interface BasedBody {
  based_on?: BasedOn | undefined;
}

export function differencesOf(
  conflict: Conflict,
  body: BasedBody,
  labelOf: (field: string) => string,
): Difference[] {
  const sent = body as Readonly<Record<string, unknown>>;
  return conflict.fields.map(({ field, ...now }) => ({
    field,
    label: labelOf(field),
    base: body.based_on?.[field],
    theirs: now.theirs,
    mine: sent[field],
    isSecret: field === 'key' || !Object.hasOwn(now, 'theirs'),
    changedBy: conflict.changed_by,
    changedAt: conflict.changed_at,
  }));
}

/** The body after the choice, based on the values of now. A field that keeps their value equals its base: it is not written. */
export function resolvedBody<Body extends BasedBody>(
  body: Body,
  differences: readonly Difference[],
  choices: ReadonlyMap<string, Choice>,
): Body {
  const values: Record<string, unknown> = {};
  const base: Record<string, unknown> = { ...body.based_on };
  for (const difference of differences) {
    const { field, theirs } = difference;
    values[field] = chosenValue(difference, choices.get(field) ?? 'theirs');
    base[field] = theirs;
  }
  return { ...body, ...values, based_on: base };
}
