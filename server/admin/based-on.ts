// The server's side of contract/based-on.ts: which fields of a save the client changed, and whether somebody else changed the
// same ones since the client read them. The caller has locked the row, so that no change comes between the check and the write.
import type { Transaction } from 'kysely';
import type { z } from 'zod';
import { changerWords, sameValue, type BasedOn, type ConflictingField } from '#contract/based-on.ts';
import { AppError } from '#contract/errors.ts';
import type { Schema } from '#server/platform/store/schema.ts';

type Based = { based_on?: BasedOn | undefined };
/** The schema of a body; its fields bring two spellings of one value to one form. */
type Fields = Pick<z.ZodObject, 'shape'>;

function normal({ shape }: Fields, field: string, value: unknown): unknown {
  const parsed = shape[field]?.safeParse(value);
  return parsed?.success ? parsed.data : value;
}

/** The body without the fields that have the value of their base: the client did not touch them. */
export function editedFields<Body extends Based>(fields: Fields, body: Body): Partial<Body> {
  const { based_on: base = {}, ...sent } = body;
  const edited = Object.entries(sent).filter(
    ([field, value]) => !Object.hasOwn(base, field) || !sameValue(value, normal(fields, field, base[field])),
  );
  return Object.fromEntries(edited) as Partial<Body>;
}

interface Save {
  fields: Fields;
  /** As the client sent it. */
  body: Based;
  /** The object now, by the names of the body. */
  present: Readonly<Record<string, unknown>>;
  /** Of the audit rows, such as `channel:12`. */
  target: string;
  /** Fields that audit rows call otherwise. */
  auditedAs?: Readonly<Record<string, string>>;
}

/** Refuses a save of fields that somebody else changed to another value since the client read them. */
export async function refuseConflict(transaction: Transaction<Schema>, save: Save): Promise<void> {
  const { fields, body, present, target, auditedAs = {} } = save;
  const base = body.based_on ?? {};
  const conflicts = Object.entries(editedFields(fields, body)).flatMap(([field, mine]) => {
    if (!Object.hasOwn(base, field) || !Object.hasOwn(present, field)) return [];
    const theirs = normal(fields, field, present[field]);
    const isUntouched = sameValue(theirs, normal(fields, field, base[field]));
    return isUntouched || sameValue(theirs, mine) ? [] : [{ field, theirs }];
  });
  const names = conflicts.map(({ field }) => auditedAs[field] ?? field);
  if (names.length > 0) throw changedMeanwhile(conflicts, await lastChangeOf(transaction, target, names));
}

interface LastChange {
  /** Blank: not a user. */
  name: string;
  at: number;
}

function changedMeanwhile(conflicts: readonly ConflictingField[], { name, at }: LastChange): AppError {
  const [first] = conflicts;
  const what = conflicts.map(({ field }) => field).join(', ');
  const words = { what, who: changerWords(name) };
  return new AppError('changed_meanwhile', words, {
    field: first?.field ?? '',
    conflict: { fields: conflicts, changed_by: name, changed_at: at },
  });
}

/** As many audit rows of one object are looked through for the one that changed a field. */
const ROWS_SEARCHED = 50;

async function lastChangeOf(
  transaction: Transaction<Schema>,
  target: string,
  names: readonly string[],
): Promise<LastChange> {
  const rows = await transaction
    .selectFrom('audit')
    .select(['actor_name', 'created_at', 'before', 'after'])
    .where('target', '=', target)
    .orderBy('id', 'desc')
    .limit(ROWS_SEARCHED)
    .execute();
  const row = rows.find(({ before, after }) => {
    const [old, next] = [valuesOf(before), valuesOf(after)];
    return names.some((name) => next[name] !== undefined && !sameValue(old[name], next[name]));
  });
  return { name: row?.actor_name ?? '', at: row?.created_at ?? 0 };
}

/** A row of a creation has no values before it. */
function valuesOf(text: string): Record<string, unknown> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
