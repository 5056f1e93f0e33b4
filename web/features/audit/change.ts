/** The values before and after a change, field by field and as one line. */
import type { AuditView } from '#contract/admin/audit.ts';
import type { ChangeWords } from '#web/ui/audit/words.ts';

export interface FieldChange {
  name: string;
  /** The model or group that a changed price is of. */
  of?: string;
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

/** Lists and objects without the signs of JSON: `a, b`, `1080p 0.2, 2160p 0.4`. */
function wordOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((each) => inner(each)).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, each]) => `${name} ${inner(each)}`)
      .join(', ');
  return JSON.stringify(value);
}

const inner = (value: unknown): string =>
  typeof value === 'object' && value !== null ? `(${wordOf(value)})` : wordOf(value);

interface PriceChange {
  key: string;
  name: string;
  before?: unknown;
  after?: unknown;
}

const isPriceChange = (value: unknown): value is PriceChange =>
  typeof value === 'object' && value !== null && 'key' in value && 'name' in value;

/** The prices that a draft changed are a list in one field; each is a change of its own. */
function priceChanges(changes: unknown): FieldChange[] | undefined {
  if (!Array.isArray(changes) || !changes.every(isPriceChange)) return undefined;
  const word = (value: unknown) => (value === undefined || value === null ? undefined : wordOf(value));
  return changes.map(({ key, name, before, after }) => ({
    name: key,
    of: name,
    before: word(before),
    after: word(after),
  }));
}

/** Every field of either side, those that changed first. */
export function fieldChanges({ before, after }: Pick<AuditView, 'before' | 'after'>): FieldChange[] {
  const old = fieldsOf(before);
  const { changes, ...rest } = fieldsOf(after);
  const prices = priceChanges(changes);
  const now = prices === undefined && changes !== undefined ? { ...rest, changes } : rest;
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const word = (side: Record<string, unknown>, name: string) =>
    name in side ? wordOf(side[name]) : undefined;
  return names
    .map((name): FieldChange => ({ name, before: word(old, name), after: word(now, name) }))
    .concat(prices ?? [])
    .toSorted((left, right) => Number(isSame(left)) - Number(isSame(right)));
}

export function labelOf({ name, of }: FieldChange, words: ChangeWords): string {
  return of === undefined || of === '' ? words.field(name) : `${of} · ${words.field(name)}`;
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
    .map((change) => {
      const { name, before, after } = change;
      const field = labelOf(change, words);
      const shown = (value: string) => short(words.value(name, value, row.target, currency));
      if (before === undefined) return words.pair(field, shown(after ?? ''));
      return words.pair(
        field,
        after === undefined ? `${shown(before)} →` : `${shown(before)} → ${shown(after)}`,
      );
    })
    .join(words.comma);
}
