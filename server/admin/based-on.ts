// The server's side of contract/based-on.ts: which fields of a save the client changed, and whether somebody else changed the
// same ones since the client read them. The caller has locked the row, so that no change comes between the check and the write.
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
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

/** JSON has no undefined: a field that may be left out is absent then. */
type Edited<Body> = { [Field in keyof Body]?: Exclude<Body[Field], undefined> };

/** The body without the fields that have the value of their base: the client did not touch them. */
export function editedFields<Body extends Based>(fields: Fields, body: Body): Edited<Body> {
  const { based_on: base = {}, ...sent } = body;
  const edited = Object.entries(sent).filter(
    ([field, value]) => !Object.hasOwn(base, field) || !sameValue(value, normal(fields, field, base[field])),
  );
  return Object.fromEntries(edited) as Edited<Body>;
}

interface Save {
  fields: Fields;
  /** As the client sent it. */
  body: Based;
  /** The object now, by the names of the body. */
  present: Readonly<Record<string, unknown>>;
  /** Of the audit rows, such as `channel:12`. */
  target: AuditTarget;
  /** Fields that audit rows call otherwise. */
  auditedAs?: Readonly<Record<string, string>>;
  /** The `id` in the audit rows of this object, where rows of others have the same target. */
  auditedId?: number;
  /** Fields whose value now is not answered. */
  withheld?: readonly string[];
}

/** Refuses a save of fields that somebody else changed to another value since the client read them. */
export async function refuseConflict(transaction: Transaction<Schema>, save: Save): Promise<void> {
  const { fields, body, present, target, auditedAs = {}, auditedId, withheld = [] } = save;
  const base = body.based_on ?? {};
  const conflicts = Object.entries(editedFields(fields, body)).flatMap(([field, mine]) => {
    if (!Object.hasOwn(base, field) || !Object.hasOwn(present, field)) return [];
    const theirs = normal(fields, field, present[field]);
    const isUntouched = sameValue(theirs, normal(fields, field, base[field]));
    if (isUntouched || sameValue(theirs, mine)) return [];
    return [withheld.includes(field) ? { field } : { field, theirs }];
  });
  const names = conflicts.map(({ field }) => auditedAs[field] ?? field);
  if (names.length === 0) return;
  throw changedMeanwhile(conflicts, await lastChangeOf(transaction, [target], names, auditedId));
}

interface SaveOfMany {
  /** As the client sent them: the same value for every object. */
  fields: Readonly<Record<string, unknown>>;
  /** By field and id: the values that the client read. */
  base: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By field and id: the values now, of the objects that the save would change. */
  present: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Of the audit rows of one object, and of a change of several. */
  targetsOf: (ids: readonly string[]) => readonly string[];
  auditedAs: Readonly<Record<string, string>>;
}

/**
 * Refuses one value for several objects when another person changed that field of one of them to another value, or when an object
 * that the client did not see would be overwritten.
 */
export async function refuseConflictOfMany(
  transaction: Transaction<Schema>,
  { fields, base, present, targetsOf, auditedAs }: SaveOfMany,
): Promise<void> {
  const conflicts = Object.entries(fields).flatMap(([field, mine]) => {
    const [read, now] = [base[field], present[field] ?? {}];
    if (read === undefined) return [];
    const ids = Object.keys(now).filter(
      (id) => !sameValue(now[id], mine) && (!Object.hasOwn(read, id) || !sameValue(now[id], read[id])),
    );
    return ids.length === 0 ? [] : [{ field, theirs: now, ids }];
  });
  if (conflicts.length === 0) return;
  const targets = targetsOf([...new Set(conflicts.flatMap(({ ids }) => ids))]);
  const names = conflicts.map(({ field }) => auditedAs[field] ?? field);
  const shown = conflicts.map(({ field, theirs }) => ({ field, theirs }));
  throw changedMeanwhile(shown, await lastChangeOf(transaction, targets, names));
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
  targets: readonly string[],
  names: readonly string[],
  id?: number,
): Promise<LastChange> {
  const rows = await transaction
    .selectFrom('audit')
    .select(['actor_name', 'created_at', 'before', 'after'])
    .where('target', 'in', targets)
    .orderBy('id', 'desc')
    .limit(ROWS_SEARCHED)
    .execute();
  const row = rows.find(({ before, after }) => {
    const [old, next] = [valuesOf(before), valuesOf(after)];
    if (id !== undefined && next['id'] !== id) return false;
    return names.some((name) => next[name] !== undefined && !sameValue(old[name], next[name]));
  });
  return { name: row?.actor_name ?? '', at: row?.created_at ?? 0 };
}

/** A row of a creation has no values before it. */
function valuesOf(text: string): Record<string, unknown> {
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}
