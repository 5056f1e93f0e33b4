// Puts a draft or the prices of an old version into force: options, version, draft and audit rows in one transaction.
import type { Transaction } from 'kysely';
import { AppError, errorMessage, type ErrorCode, type ErrorParameters } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { changesBetween, DRAFT_KEYS, mergedPrices } from '#contract/money/price-changes.ts';
import { readPrices, type Prices } from '#contract/money/price-keys.ts';
import { settingOf } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import { refuseGroupsInUse } from '#server/platform/settings/group-use.ts';
import { writeOptions, type OptionChange, type WrittenOption } from '#server/platform/settings/options.ts';
import { lockPrices, type VersionNote } from '#server/platform/settings/price-versions.ts';
import { checkSetting, followUps } from '#server/platform/settings/rules.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import {
  readDraft,
  targetOf,
  updateDraft,
  type PriceAuthor,
  type PriceBookParts,
  type PriceDraft,
} from './drafts.ts';
import { newestVersion, readVersion, type PriceVersion } from './versions.ts';

/** `over`: the running version that the operator has seen. */
export async function publishDraft(
  parts: PriceBookParts,
  id: number,
  { revision, over }: { revision: number; over: number },
  author: PriceAuthor,
): Promise<PriceVersion> {
  const { db } = parts.store;
  const draft = await readDraft(db, id);
  const version = await db.transaction().execute(async (transaction) => {
    await requireSeen(parts, transaction, over);
    return await publishIn(parts, transaction, { draft, revision, source: 'draft' }, author);
  });
  await announce(parts);
  return version;
}

/** A new version with the old prices. */
export async function rollBack(
  parts: PriceBookParts,
  id: number,
  { over, reason }: { over: number; reason: string },
  author: PriceAuthor,
): Promise<PriceVersion> {
  const { db } = parts.store;
  const old = await readVersion(db, id);
  if (old === undefined) throw new AppError('not_found');
  const prices = readPrices(old.prices);
  const version = await db.transaction().execute(async (transaction) => {
    const running = await requireSeen(parts, transaction, over);
    const current = readPrices(running.prices);
    const wanted = mergedPrices(current, prices, current).prices;
    const note = { source: 'rollback', reason };
    return await writePrices(parts, transaction, { running, wanted, note }, author);
  });
  await announce(parts);
  return version;
}

/** Publishes drafts whose time has come, each once, whichever node comes first. */
export async function publishDue(
  parts: PriceBookParts,
  audit: PriceAuthor['audit'],
  signal: AbortSignal,
): Promise<void> {
  const { db } = parts.store;
  const due = await db
    .selectFrom('price_drafts')
    .selectAll()
    // As the index says; the update of each draft decides.
    .where('status', '=', 'scheduled')
    .where('publish_at', '<=', unixSeconds())
    .orderBy('publish_at')
    .orderBy('id')
    .execute();
  for (const draft of due) {
    if (signal.aborted) return;
    const author = { actorId: draft.updated_by, language: 'en' as const, audit };
    try {
      await db.transaction().execute(async (transaction) => {
        await lockPrices(parts.store, transaction);
        const due = { draft, revision: draft.revision, source: 'scheduled' } as const;
        return await publishIn(parts, transaction, due, author);
      });
      await announce(parts);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      await giveUp(parts, draft, error, audit);
    }
  }
}

/** The draft goes back to the operators with the reason; one that was changed meanwhile is left alone. */
async function giveUp(
  { store }: PriceBookParts,
  draft: PriceDraft,
  { code, parameters }: AppError,
  audit: PriceAuthor['audit'],
): Promise<void> {
  if (code === 'price_draft_changed' || code === 'price_draft_closed') return;
  const { id, revision } = draft;
  await store.db.transaction().execute(async (transaction) => {
    const error = JSON.stringify({ code, parameters });
    const change = { status: 'draft', publish_at: 0, error } as const;
    await updateDraft(transaction, { id, revision, from: ['scheduled'] }, change);
    await audit(transaction, 'price_draft.not_published', targetOf(id), undefined, { code, parameters });
  });
}

/** The stored reason why a draft was not published, as a sentence. */
export function errorOf(draft: Pick<PriceDraft, 'error'>, language: Language): string {
  if (draft.error === '') return '';
  const { code, parameters } = JSON.parse(draft.error) as { code: ErrorCode; parameters: ErrorParameters };
  return errorMessage(code, language, parameters);
}

async function requireSeen(
  { store }: PriceBookParts,
  transaction: Transaction<Schema>,
  over: number,
): Promise<PriceVersion> {
  await lockPrices(store, transaction);
  const running = await newestVersion(transaction);
  if (running.id !== over) throw new AppError('price_draft_outdated', { version: running.id });
  return running;
}

interface Publication {
  draft: PriceDraft;
  revision: number;
  source: 'draft' | 'scheduled';
}

/** The calling code holds the lock of prices. */
async function publishIn(
  parts: PriceBookParts,
  transaction: Transaction<Schema>,
  { draft, revision, source }: Publication,
  author: PriceAuthor,
): Promise<PriceVersion> {
  const { id } = draft;
  // Also of a scheduled one: its revision says that no operator has changed it.
  const from: PriceDraft['status'][] = ['draft', 'scheduled'];
  const claimed = await updateDraft(transaction, { id, revision, from }, { status: 'published', error: '' });
  const [base, running] = [
    await readVersion(transaction, claimed.based_on),
    await newestVersion(transaction),
  ];
  if (base === undefined) throw new Error(`price draft ${id} is based on no version`);
  const drafted = readPrices(claimed.prices);
  const { prices: wanted, conflicts } = mergedPrices(
    readPrices(base.prices),
    drafted,
    readPrices(running.prices),
  );
  // No operator looks at a scheduled draft when its time comes: what both changed is left to a person.
  if (source === 'scheduled' && conflicts.length > 0) {
    const names = conflicts.map(({ key, name }) => (name === '' ? key : name)).slice(0, 5);
    throw new AppError('price_draft_conflict', { names: names.join(', ') });
  }
  const note = { source, reason: claimed.reason, draftId: id };
  return await writePrices(parts, transaction, { running, wanted, note }, author);
}

interface PriceWriting {
  running: PriceVersion;
  wanted: Prices;
  note: VersionNote;
}

async function writePrices(
  { store, settings }: PriceBookParts,
  transaction: Transaction<Schema>,
  { running, wanted, note }: PriceWriting,
  { actorId, language, audit }: PriceAuthor,
): Promise<PriceVersion> {
  const changes = changesBetween(readPrices(running.prices), wanted);
  if (changes.length === 0) throw new AppError('price_draft_empty');
  const { current } = settings;
  const groups = JSON.stringify(wanted.GroupRatio);
  await refuseGroupsInUse({ store: { db: transaction }, settings }, 'GroupRatio', groups);
  const options: OptionChange[] = DRAFT_KEYS.filter((key) =>
    changes.some((each) => each.key === key),
  ).flatMap((key) => {
    const { text } = checkSetting(key, settingOf(key).format(wanted[key]), current, language);
    return [{ key, text }, ...followUps(key, text, current)];
  });
  const written: WrittenOption[] = [];
  const { vault, dialect } = store;
  await writeOptions({ transaction, vault, dialect }, options, {
    actorId,
    version: note,
    audit: async (_, each) => void written.push(...each),
  });
  const version = await newestVersion(transaction);
  if (note.draftId !== undefined)
    await transaction
      .updateTable('price_drafts')
      .set({ version_id: version.id })
      .where('id', '=', note.draftId)
      .execute();
  for (const { key, before, after } of written)
    await audit(transaction, 'option.save', `option:${key}`, { value: before }, { value: after });
  const action = note.source === 'rollback' ? 'price_version.rollback' : 'price_version.publish';
  await audit(
    transaction,
    action,
    `price_version:${version.id}`,
    { version: running.id },
    { version: version.id, draft: note.draftId ?? 0, reason: note.reason ?? '' },
  );
  return version;
}

async function announce({ store, settings }: PriceBookParts): Promise<void> {
  await settings.reload();
  await store.changes.announce('settings');
}
