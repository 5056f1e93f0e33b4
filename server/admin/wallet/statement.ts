// A user's statement of a month, as data and as a CSV file; of other users for administrators who may see their figures.
import {
  accountOf,
  callerOf,
  type Caller,
  type Handlers,
  type RequestContext,
} from '#server/admin/context.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import { exportFile } from '#server/admin/export-file.ts';
import { noteOf } from '#server/admin/ledger-note.ts';
import { AppError } from '#contract/errors.ts';
import { invalidField } from '#contract/problem-words.ts';
import { monthAt, monthSpan } from '#contract/month.ts';
import {
  STATEMENT_ENTRIES,
  STATEMENT_FILE_ENTRIES,
  STATEMENT_TIME_ZONE,
  type statements,
  type StatementView,
} from '#contract/money/statements.ts';
import type { Settings } from '#contract/settings.ts';
import { dollarsOfQuota } from '#server/money/quota-units.ts';
import { readBooks, type StatementLine } from '#server/money/sums/statement.ts';
import {
  readHolderSums,
  tagKeysUsed,
  type HolderFigures,
  type HolderGroup,
} from '#server/money/sums/holders.ts';
import type { Store } from '#server/platform/store/store.ts';

export interface StatementParts extends Clock {
  store: Store;
  settings: { readonly current: Pick<Settings, 'QuotaPerUnit'> };
  /** Users of a lower role, and the own account. */
  maySee: (caller: Caller, target: { id: number; role: number }) => boolean;
}

export function createStatementHandlers(parts: StatementParts): Handlers<typeof statements> {
  const requireVisibleUser = async (context: RequestContext, id: number) => {
    const target = await parts.store.db
      .selectFrom('users')
      .select(['id', 'role'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!target) throw new AppError('not_found');
    if (!parts.maySee(callerOf(context), target)) throw new AppError('user_level_too_high');
    return id;
  };
  const read = (userId: number, month: string) =>
    readStatement(parts, { userId, month, mostEntries: STATEMENT_ENTRIES });
  const file = async (userId: number, month: string) =>
    fileOf(
      await readStatement(parts, { userId, month, mostEntries: STATEMENT_FILE_ENTRIES }),
      parts.settings.current.QuotaPerUnit,
    );
  return {
    own: ({ query }, context) => read(accountOf(context).id, query.month),
    ownFile: ({ query }, context) => file(accountOf(context).id, query.month),
    ofUser: async ({ params, query }, context) =>
      read(await requireVisibleUser(context, params.id), query.month),
    ofUserFile: async ({ params, query }, context) => {
      const id = await requireVisibleUser(context, params.id);
      await context.auditEvent('statement.export', `user:${id}`, query);
      return await file(id, query.month);
    },
  };
}

async function readStatement(
  parts: StatementParts,
  request: { userId: number; month: string; mostEntries: number },
): Promise<StatementView> {
  const { store } = parts;
  const { userId, month } = request;
  const made_at = nowSeconds(parts);
  if (month > monthAt(made_at)) throw invalidField('month', 'future');
  const [user, cleaning, books, groups] = await Promise.all([
    store.db
      .selectFrom('users')
      .select(['id', 'username', 'display_name'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow(),
    store.db.selectFrom('log_cleaning').select('cleaned_before').executeTakeFirst(),
    readBooks(store, request),
    readGroups(store, request),
  ]);
  const { charged, chargedInAll, used, models, tokens } = books;
  const lines = merged([
    { kind: 'use', account: 'revenue', amount: -charged, count: used.count },
    ...books.lines,
  ]);
  const fromBalance = -lines
    .filter(({ account }) => account === 'revenue')
    .reduce((sum, { amount }) => sum + amount, 0);
  return {
    user,
    month,
    time_zone: STATEMENT_TIME_ZONE,
    ...monthSpan(month),
    made_at,
    opening: books.opening,
    closing: books.closing,
    lines,
    entries: books.entries.map(({ reference, account, ...entry }) => ({
      ...entry,
      account: sideOf(account),
      note: noteOf({ kind: entry.kind, reference }),
    })),
    entries_total: books.lines.reduce((sum, { count }) => sum + count, 0),
    usage: {
      total: used,
      models,
      tokens,
      groups,
      plan: chargedInAll - fromBalance,
      difference: chargedInAll - used.quota,
    },
    log_cleaned_before: cleaning?.cleaned_before ?? 0,
  };
}

const HOLDERS = ['member', 'service_account', 'project'] as const;
const MOST_GROUPED = 200;

const usedOf = ({ quota, count, prompt_tokens, completion_tokens }: HolderFigures) => ({
  quota,
  count,
  prompt_tokens,
  completion_tokens,
});

/** Only of an organization; tags that no call of the month had are left out. */
async function readGroups(
  store: Store,
  { userId, month }: { userId: number; month: string },
): Promise<StatementView['usage']['groups']> {
  const organization = await store.db
    .selectFrom('organizations')
    .select('tag_keys')
    .where('id', '=', userId)
    .executeTakeFirst();
  if (organization === undefined) return [];
  const { start: from, end: to } = monthSpan(month);
  const read = async <By extends HolderGroup>(by: By, tag = '') => {
    const asked = { userId, by, tagKey: tag, from, to, limit: MOST_GROUPED };
    const { rows, none } = await readHolderSums(store, asked);
    return {
      by,
      tag,
      rows: rows.map(({ id, name, ...figures }) => ({ id, name, ...usedOf(figures) })),
      none: usedOf(none),
    };
  };
  const kept = organization.tag_keys.split(',').filter(Boolean);
  const tags = await tagKeysUsed(store, { userId, from, to }, kept);
  const groups = await Promise.all([
    ...HOLDERS.map((by) => read(by)),
    ...tags.map((tag) => read('tag' as const, tag)),
  ]);
  return groups.filter(({ rows }) => rows.length > 0);
}

/** `world:topup:epay` → `topup`, `plan:17` → `plan`: one line for each kind of counter-account, also for kinds to come. */
function sideOf(account: string): string {
  return account.replace(/^world:/, '').replace(/:.*$/, '');
}

/** Movements of one kind and side in one line; charges first, then by kind. */
function merged(lines: readonly StatementLine[]): StatementLine[] {
  const byKey = new Map<string, StatementLine>();
  for (const { kind, account: full, amount, count } of lines) {
    const account = sideOf(full);
    const key = `${kind} ${account}`;
    const known = byKey.get(key) ?? { kind, account, amount: 0, count: 0 };
    byKey.set(key, { ...known, amount: known.amount + amount, count: known.count + count });
  }
  const isUse = ({ kind }: StatementLine) => Number(kind === 'use');
  return [...byKey.values()].toSorted((a, b) => isUse(b) - isUse(a) || (a.kind < b.kind ? -1 : 1));
}

const COLUMNS = [
  'section',
  'kind',
  'account',
  'name',
  'time',
  'quota',
  'usd',
  'count',
  'prompt_tokens',
  'completion_tokens',
] as const;
type FileRow = Partial<Record<(typeof COLUMNS)[number], string | number>> & { quota: number };

/** Opening, movements and closing first; rows of the sections after them repeat the same amounts in detail. */
function fileOf(view: StatementView, quotaPerUnit: number): Response {
  const { user, usage, entries } = view;
  const missing = view.entries_total - entries.length;
  const rows: FileRow[] = [
    { section: 'opening', time: isoTime(view.start), quota: view.opening },
    ...view.lines.map(({ amount: quota, ...line }) => ({ section: 'movement', ...line, quota })),
    { section: 'closing', time: isoTime(Math.min(view.end, view.made_at)), quota: view.closing },
    ...usage.models.map((row) => ({ section: 'model', ...row })),
    ...unlessNothing('model_others', '', restOf(usage.total, usage.models)),
    ...usage.tokens.map(({ id, ...row }) => ({ section: 'token', account: id, ...row })),
    ...unlessNothing('token_others', '', restOf(usage.total, usage.tokens)),
    ...usage.groups.flatMap(({ by, tag, rows: named, none }) => [
      ...named.map(({ id, ...row }) => ({ section: by, kind: tag, account: id || '', ...row })),
      ...unlessNothing(`${by}_others`, tag, restOf(usage.total, [...named, none])),
      ...unlessNothing(`${by}_none`, tag, none),
    ]),
    { section: 'usage', ...usage.total },
    { section: 'usage_difference', quota: usage.difference },
    { section: 'usage_paid_by_plan', quota: -usage.plan },
    ...entries.map(({ amount: quota, created_at, note: name, kind, account }) => ({
      section: 'entry',
      kind,
      account,
      name,
      time: isoTime(created_at),
      quota,
    })),
    ...(missing > 0 ? [{ section: 'entries_not_listed', quota: 0, count: missing }] : []),
  ];
  return exportFile({
    name: `statement-${user.id}-${view.month}`,
    format: 'csv',
    pieces: onePiece(rows),
    columns: COLUMNS,
    cells: (row) => {
      const usd = dollarsOfQuota(row.quota, quotaPerUnit).toFixed(6);
      return COLUMNS.map((column) => (column === 'usd' ? usd : (row[column] ?? '')));
    },
  });
}

type Used = StatementView['usage']['total'];

/** Of those beyond the longest list, so that each section adds up to what was used. */
const restOf = (total: Used, listed: readonly Used[]): Used =>
  listed.reduce<Used>(
    (rest, { quota, count, prompt_tokens, completion_tokens }) => ({
      quota: rest.quota - quota,
      count: rest.count - count,
      prompt_tokens: rest.prompt_tokens - prompt_tokens,
      completion_tokens: rest.completion_tokens - completion_tokens,
    }),
    total,
  );

const unlessNothing = (section: string, kind: string, used: Used): FileRow[] =>
  Object.values(used).every((value) => value === 0) ? [] : [{ section, kind, ...used }];

async function* onePiece<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[], void> {
  yield rows;
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
