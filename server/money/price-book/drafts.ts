// Drafts of prices: made from the running version, changed, scheduled, withdrawn. Every change names the revision that the
// operator saw, so that two operators do not overwrite each other. publish.ts puts a draft into force.
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import type { Kysely, Transaction } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { changesBetween, DRAFT_KEYS } from '#contract/money/price-changes.ts';
import { pricesText, readPrices, type Prices } from '#contract/money/price-keys.ts';
import { settingOf, type Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import { checkSetting } from '#server/platform/settings/rules.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Row, RowChange, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { newestVersion, readVersion } from './versions.ts';

export type PriceDraft = Row<'price_drafts'>;

export interface PriceBookParts {
  store: Pick<Store, 'db' | 'dialect' | 'vault' | 'changes'>;
  settings: Pick<LiveSettings, 'current' | 'reload'>;
}

/** Writes an audit row in the transaction of the change; it takes a lock, so it comes last. */
export type PriceAudit = (
  transaction: Transaction<Schema>,
  action: AuditAction,
  target: AuditTarget,
  before?: unknown,
  after?: unknown,
) => Promise<void>;

export interface PriceAuthor {
  actorId: number;
  language: Language;
  audit: PriceAudit;
}

const AUDITED_CHANGES = 200;

export async function readDraft(database: Kysely<Schema>, id: number): Promise<PriceDraft> {
  const draft = await database.selectFrom('price_drafts').selectAll().where('id', '=', id).executeTakeFirst();
  if (draft === undefined) throw new AppError('not_found');
  return draft;
}

export interface NewDraft {
  reason: string;
  source: 'operator' | 'import';
  /** Options that differ from the version it is based on, each whole. */
  prices?: Readonly<Record<string, unknown>> | undefined;
  /** Absent: the running version. */
  based_on?: number | undefined;
}

export async function createDraft(
  { store, settings }: PriceBookParts,
  { reason, source, prices = {}, based_on }: NewDraft,
  { actorId, language, audit }: PriceAuthor,
): Promise<PriceDraft> {
  return await store.db.transaction().execute(async (transaction) => {
    const base =
      based_on === undefined ? await newestVersion(transaction) : await readVersion(transaction, based_on);
    if (base === undefined) throw new AppError('not_found');
    const next = changedPrices(readPrices(base.prices), prices, settings.current, language);
    const text = pricesText(next);
    const draft = await insertDraft(
      transaction,
      { based_on: base.id, prices: text, source, reason },
      actorId,
    );
    await audit(transaction, 'price_draft.create', targetOf(draft.id), undefined, {
      based_on: base.id,
      reason,
    });
    return draft;
  });
}

export async function insertDraft(
  transaction: Transaction<Schema>,
  draft: Pick<PriceDraft, 'based_on' | 'prices' | 'source'> & Partial<Pick<PriceDraft, 'reason'>>,
  actorId: number,
): Promise<PriceDraft> {
  const now = unixSeconds();
  return await transaction
    .insertInto('price_drafts')
    .values({ ...draft, created_at: now, updated_at: now, created_by: actorId, updated_by: actorId })
    .returningAll()
    .executeTakeFirstOrThrow();
}

interface DraftChange {
  revision: number;
  prices: Readonly<Record<string, unknown>>;
  reason?: string | undefined;
}

export async function changeDraft(
  { store, settings }: PriceBookParts,
  id: number,
  { revision, prices, reason }: DraftChange,
  { actorId, language, audit }: PriceAuthor,
): Promise<PriceDraft> {
  return await store.db.transaction().execute(async (transaction) => {
    const draft = await readDraft(transaction, id);
    const before = readPrices(draft.prices);
    const next = changedPrices(before, prices, settings.current, language);
    const changed = await updateDraft(
      transaction,
      { id, revision, from: ['draft'] },
      {
        prices: pricesText(next),
        updated_by: actorId,
        ...(reason === undefined ? {} : { reason }),
      },
    );
    const changes = changesBetween(before, next).slice(0, AUDITED_CHANGES);
    await audit(
      transaction,
      'price_draft.change',
      targetOf(id),
      { reason: draft.reason },
      { reason: changed.reason, changes },
    );
    return changed;
  });
}

/** 0: no longer at a time. */
export async function scheduleDraft(
  { store }: PriceBookParts,
  id: number,
  { revision, publishAt }: { revision: number; publishAt: number },
  { actorId, audit }: PriceAuthor,
): Promise<PriceDraft> {
  if (publishAt !== 0 && publishAt <= unixSeconds())
    throw new AppError('price_time_past', {}, { field: 'publish_at' });
  return await store.db.transaction().execute(async (transaction) => {
    const before = await readDraft(transaction, id);
    const draft = await updateDraft(
      transaction,
      { id, revision, from: ['draft', 'scheduled'] },
      {
        status: publishAt === 0 ? 'draft' : 'scheduled',
        publish_at: publishAt,
        updated_by: actorId,
        error: '',
      },
    );
    await audit(
      transaction,
      'price_draft.schedule',
      targetOf(id),
      { publish_at: before.publish_at },
      { publish_at: publishAt },
    );
    return draft;
  });
}

export async function withdrawDraft(
  { store }: PriceBookParts,
  id: number,
  revision: number,
  { actorId, audit }: PriceAuthor,
): Promise<PriceDraft> {
  return await store.db.transaction().execute(async (transaction) => {
    const draft = await updateDraft(
      transaction,
      { id, revision, from: ['draft', 'scheduled'] },
      {
        status: 'withdrawn',
        publish_at: 0,
        updated_by: actorId,
      },
    );
    await audit(transaction, 'price_draft.withdraw', targetOf(id), undefined, { status: draft.status });
    return draft;
  });
}

export const targetOf = (id: number): AuditTarget => `price_draft:${id}`;

interface Expected {
  id: number;
  revision: number;
  from: readonly PriceDraft['status'][];
}

/** One conditional update: of two operators, or two nodes, one finds the draft as it expects it. */
export async function updateDraft(
  transaction: Transaction<Schema>,
  { id, revision, from }: Expected,
  change: RowChange<'price_drafts'>,
): Promise<PriceDraft> {
  const draft = await transaction
    .updateTable('price_drafts')
    .set({ ...change, revision: revision + 1, updated_at: unixSeconds() })
    .where('id', '=', id)
    .where('revision', '=', revision)
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
  if (draft !== undefined) return draft;
  const found = await readDraft(transaction, id);
  throw new AppError(from.includes(found.status) ? 'price_draft_changed' : 'price_draft_closed');
}

/** Checks each option by its schema and rules. */
export function changedPrices(
  prices: Prices,
  changes: Readonly<Record<string, unknown>>,
  current: Settings,
  language: Language,
): Prices {
  const next: Record<string, unknown> = { ...prices };
  for (const [name, value] of Object.entries(changes)) {
    const key = DRAFT_KEYS.find((each) => each === name);
    if (key === undefined) throw new AppError('unknown_setting', { key: name }, { field: name });
    const { text } = checkSetting(key, JSON.stringify(value), current, language);
    next[key] = settingOf(key).parse(text);
  }
  return next as unknown as Prices;
}
