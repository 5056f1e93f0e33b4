/** The values before and after a change, field by field and as one line. */
import type { AuditView } from '#contract/admin/audit.ts';
import type { ChangeWords } from '#web/ui/audit/words.ts';

export interface FieldChange {
  name: string;
  before: string | undefined;
  after: string | undefined;
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

/** The currency that a row names, for its amounts. */
export function currencyOf({ before, after }: Pick<AuditView, 'before' | 'after'>): string | undefined {
  const named = fieldsOf(after)['currency'] ?? fieldsOf(before)['currency'];
  return typeof named === 'string' ? named : undefined;
}

export function changeWords(row: Pick<AuditView, 'before' | 'after' | 'target'>, words: ChangeWords): string {
  const currency = currencyOf(row);
  return fieldChanges(row)
    .filter((change) => !isSame(change))
    .map(({ name, before, after }) => {
      const field = words.field(name);
      const shown = (value: string) => short(words.value(name, value, row.target, currency));
      if (before === undefined) return `${field}: ${shown(after ?? '')}`;
      return after === undefined
        ? `${field}: ${shown(before)} →`
        : `${field}: ${shown(before)} → ${shown(after)}`;
    })
    .join(', ');
}
