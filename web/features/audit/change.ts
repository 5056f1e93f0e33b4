/** The values before and after a change, field by field and as one line. */
import type { AuditView } from '#contract/admin/audit.ts';

export interface FieldChange {
  name: string;
  before: string | undefined;
  after: string | undefined;
}

/** How the names and values of fields are shown. */
export interface ChangeWords {
  field: (name: string) => string;
  /** `target` as stored: `user:12`. A number of a status means another thing for each kind of target. */
  value: (name: string, value: string, target: string) => string;
}

const MOST_LETTERS = 60;

function fieldsOf(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value };
    return value as Record<string, unknown>;
  } catch {
    return {};
  }
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Every field of either side, those that changed first. */
export function fieldChanges({ before, after }: Pick<AuditView, 'before' | 'after'>): FieldChange[] {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const word = (side: Record<string, unknown>, name: string) =>
    name in side ? wordOf(side[name]) : undefined;
  return names
    .map((name) => ({ name, before: word(old, name), after: word(now, name) }))
    .toSorted((left, right) => Number(isSame(left)) - Number(isSame(right)));
}

export function isSame(change: FieldChange): boolean {
  return change.before === change.after;
}

const short = (text: string) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text);

export function changeWords(row: Pick<AuditView, 'before' | 'after' | 'target'>, words: ChangeWords): string {
  return fieldChanges(row)
    .filter((change) => !isSame(change))
    .map(({ name, before, after }) => {
      const field = words.field(name);
      const shown = (value: string) => short(words.value(name, value, row.target));
      if (before === undefined) return `${field}: ${shown(after ?? '')}`;
      return after === undefined
        ? `${field}: ${shown(before)} →`
        : `${field}: ${shown(before)} → ${shown(after)}`;
    })
    .join(', ');
}
