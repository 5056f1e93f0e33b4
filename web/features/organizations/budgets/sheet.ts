/** What was typed into the sheet of budgets and is not saved: changed, new and removed rows, and what the changes were based on. */
import type { BudgetView, NewBudget } from '#contract/admin/organization-budgets.ts';
import { moneyToQuota, quotaToMoney } from '#web/ui/format/number.ts';
import type { Display } from '#web/ui/format/display.ts';

/** What can be changed of a budget that is there. */
export type Changeable = Pick<BudgetView, 'name' | 'quota' | 'is_hard' | 'models'>;

export interface NewLine
  extends Changeable, Pick<BudgetView, 'subject' | 'subject_id' | 'tag_key' | 'tag_value' | 'period'> {
  key: string;
}

export interface Sheet {
  /** By id: the fields that differ. */
  changed: Readonly<Record<number, Partial<Changeable>>>;
  /** By id: the fields as they were read when the first change began. */
  bases: Readonly<Record<number, Changeable>>;
  removed: readonly number[];
  added: readonly NewLine[];
}

export const NO_CHANGES: Sheet = { changed: {}, bases: {}, removed: [], added: [] };
const FIELDS = ['name', 'quota', 'is_hard', 'models'] as const;

export const changeableOf = ({ name, quota, is_hard, models }: Changeable): Changeable => ({
  name,
  quota,
  is_hard,
  models,
});

export const lineOf = (sheet: Sheet, view: BudgetView): BudgetView => ({
  ...view,
  ...sheet.changed[view.id],
});

function without<Value>(all: Readonly<Record<number, Value>>, id: number): Record<number, Value> {
  return Object.fromEntries(Object.entries(all).filter(([key]) => Number(key) !== id));
}

/** A field that is typed back to what it was is no change. */
export function withChange(sheet: Sheet, view: BudgetView, fields: Partial<Changeable>): Sheet {
  const base = sheet.bases[view.id] ?? changeableOf(view);
  const next = { ...sheet.changed[view.id], ...fields };
  const differing = Object.fromEntries(
    FIELDS.flatMap((field) =>
      next[field] === undefined || next[field] === base[field] ? [] : [[field, next[field]]],
    ),
  );
  if (Object.keys(differing).length === 0) return withUndo(sheet, view.id);
  return {
    ...sheet,
    changed: { ...sheet.changed, [view.id]: differing },
    bases: { ...sheet.bases, [view.id]: base },
  };
}

export const withUndo = (sheet: Sheet, id: number): Sheet => ({
  ...sheet,
  changed: without(sheet.changed, id),
  bases: without(sheet.bases, id),
  removed: sheet.removed.filter((other) => other !== id),
});

export const withRemoval = (sheet: Sheet, id: number): Sheet => ({
  ...withUndo(sheet, id),
  removed: [...sheet.removed.filter((other) => other !== id), id],
});

let made = 0;
export function withNewLine(sheet: Sheet): Sheet {
  const line: NewLine = {
    key: `new-${Date.now().toString(36)}-${(made += 1)}`,
    name: '',
    subject: 'organization',
    subject_id: 0,
    tag_key: '',
    tag_value: '',
    period: 'month',
    quota: 0,
    is_hard: true,
    models: '',
  };
  return { ...sheet, added: [...sheet.added, line] };
}

export const withNewFields = (sheet: Sheet, key: string, fields: Partial<NewLine>): Sheet => ({
  ...sheet,
  added: sheet.added.map((line) => (line.key === key ? { ...line, ...fields } : line)),
});

export const withoutNew = (sheet: Sheet, key: string): Sheet => ({
  ...sheet,
  added: sheet.added.filter((line) => line.key !== key),
});

/** After somebody else changed one: what is typed is now compared with what is there. */
export function rebased(sheet: Sheet, views: readonly BudgetView[]): Sheet {
  const there = new Map(views.map((view) => [view.id, view]));
  const known = ([id]: [string, unknown]) => there.has(Number(id));
  const kept: Sheet = {
    ...sheet,
    changed: Object.fromEntries(Object.entries(sheet.changed).filter(known)),
    bases: {},
    removed: sheet.removed.filter((id) => there.has(id)),
  };
  return Object.entries(kept.changed).reduce<Sheet>((next, [id, fields]) => {
    const view = there.get(Number(id));
    return view === undefined ? next : withChange(next, view, fields);
  }, kept);
}

export const changeCount = ({ changed, removed, added }: Sheet): number =>
  Object.keys(changed).length + removed.length + added.length;

export type Problem = 'name' | 'double' | 'subject' | 'tag';

/** By the id of a budget or the key of a new one. */
export function problemsOf(sheet: Sheet, views: readonly BudgetView[]): ReadonlyMap<string, Problem> {
  const lines = [
    ...views
      .filter(({ id }) => !sheet.removed.includes(id))
      .map((view) => ({ row: String(view.id), line: lineOf(sheet, view), isNew: false })),
    ...sheet.added.map((line) => ({ row: line.key, line, isNew: true })),
  ];
  const names = Map.groupBy(lines, ({ line }) => line.name.trim().toLowerCase());
  const found = new Map<string, Problem>();
  for (const { row, line, isNew } of lines) {
    const isTouched = isNew || sheet.changed[Number(row)] !== undefined;
    if (!isTouched) continue;
    const name = line.name.trim();
    if (name === '') found.set(row, 'name');
    else if ((names.get(name.toLowerCase())?.length ?? 0) > 1) found.set(row, 'double');
    else if (isNew && line.subject === 'tag' && line.tag_key === '') found.set(row, 'tag');
    else if (isNew && !['organization', 'tag'].includes(line.subject) && line.subject_id === 0)
      found.set(row, 'subject');
  }
  return found;
}

export interface SaveBody {
  create: NewBudget[];
  change: (Partial<Changeable> & { id: number; based_on: Record<string, unknown> })[];
  remove: number[];
}

export function bodyOf({ changed, bases, removed, added }: Sheet): SaveBody {
  return {
    create: added.map(({ key: _key, ...line }) => ({ ...line, name: line.name.trim() })),
    change: Object.entries(changed).map(([id, fields]) => {
      const base = bases[Number(id)];
      const names = Object.keys(fields) as (keyof Changeable)[];
      return {
        ...fields,
        id: Number(id),
        based_on: Object.fromEntries(names.map((name) => [name, base?.[name]])),
      };
    }),
    remove: [...removed],
  };
}

/** The row that a refusal names, such as `change.0.name`. */
export function rowOfField(field: string, body: SaveBody, { added }: Sheet): string | undefined {
  const [list, index] = field.split('.');
  const at = Number(index);
  if (list === 'create') return added[at]?.key;
  const id = list === 'change' ? body.change[at]?.id : list === 'remove' ? body.remove[at] : undefined;
  return id === undefined ? undefined : String(id);
}

/** What is typed into an amount: money as the site shows it, or quota. */
export function readAmount(text: string, display: Display): number | 'bad' {
  const plain = text.replaceAll(/[$¥,\s]/g, '');
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(plain)) return 'bad';
  const number = Number(plain);
  const quota = display.displayInCurrency ? moneyToQuota(number, display) : Math.round(number);
  return Number.isSafeInteger(quota) ? quota : 'bad';
}

export const amountText = (quota: number, display: Display): string =>
  display.displayInCurrency ? String(Number(quotaToMoney(quota, display).toFixed(6))) : String(quota);
