// Imports a database of one-api or new-api. The steps are in an order in which each finds the rows it refers to.
import { unixSeconds } from '#contract/time.ts';
import { forgetSums } from '#server/money/sums/engine.ts';
import { createHash } from 'node:crypto';
import { ROLE } from '#contract/access.ts';
import type { OptionAudit } from '#server/platform/settings/options.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { CommandStore } from '#server/platform/store/store.ts';
import { Fields } from '#server/operating/import-export/source/fields.ts';
import { pagesOf, SourceError, type Source } from '#server/operating/import-export/source/source.ts';
import { bringChannels } from './channels.ts';
import { ImportedIds, type Family, type Job } from './job.ts';
import { bringLogs, bringUsedTotals } from './logs.ts';
import { bringOptions, missingGroups } from './options.ts';
import { bringOrders } from './orders.ts';
import { bringPlans } from './plans.ts';
import { bringRedemptions } from './redemptions.ts';
import { Report } from './report.ts';
import { scaleOf, unitsOf } from './scale.ts';
import { bringSubscriptions } from './subscriptions.ts';
import { bringTokens } from './tokens.ts';
import { bringTwoFactor } from './two-factor.ts';
import { bringUsers } from './users.ts';

/** Of a dump only these are read. */
export const FAMILY_TABLES = [
  'users',
  'tokens',
  'channels',
  'options',
  'redemptions',
  'top_ups',
  'logs',
  'two_fas',
  'passkey_credentials',
  'user_subscriptions',
  'subscription_plans',
] as const;

export interface ImportParts {
  source: Source;
  store: Pick<CommandStore, 'db' | 'dialect' | 'vault' | 'changes'>;
  settings: LiveSettings;
  /** For the options that change. */
  optionAudit: OptionAudit;
}

export interface ImportChoices {
  isDry: boolean;
  withLogs: boolean;
  overwrites: boolean;
}

export async function familyOf(source: Source): Promise<Family> {
  const users = await source.columns('users');
  const channels = await source.columns('channels');
  if (!users.has('username') || !users.has('quota') || !channels.has('models'))
    throw new SourceError(`${source.label} has no tables of one-api or new-api.`);
  return channels.has('auto_ban') || users.has('aff_quota') ? 'new-api' : 'one-api';
}

/** Reads and checks the whole source before the first write: one that cannot be read to its end changes nothing. */
export async function importFamily(parts: ImportParts, choices: ImportChoices): Promise<Report> {
  if (!choices.isDry) await runImport(parts, { ...choices, isDry: true });
  return await runImport(parts, choices);
}

async function runImport(parts: ImportParts, choices: ImportChoices): Promise<Report> {
  const job = await beginJob(parts, choices);
  const { report } = job;
  // First, because groups must exist before users of them make calls, and the unit of amounts is one of the options.
  // Only until the import has come to its end: what the operator changes afterwards stays.
  if (!job.isFinished) await bringOptions(job, parts.settings, parts.optionAudit);
  await bringUsers(job);
  await bringTwoFactor(job);
  await bringTokens(job);
  await bringChannels(job);
  await bringRedemptions(job);
  await bringOrders(job);
  await bringPlans(job);
  await bringSubscriptions(job);
  if (choices.withLogs) await bringLogs(job);
  else report.note('The log was not read; used totals are brought without it.');
  await bringUsedTotals(job);
  await addNotes(job, parts);
  if (!choices.isDry) await finishJob(job);
  return report;
}

async function beginJob(
  { source, store, settings }: ImportParts,
  { isDry, overwrites }: ImportChoices,
): Promise<Job> {
  const family = await familyOf(source);
  const options = await optionsOf(source);
  const name = await nameOf(source, family);
  const known = await store.db.selectFrom('imports').selectAll().where('name', '=', name).executeTakeFirst();
  const isEmpty = known === undefined ? await hasNoUsers(store) : known.into_empty === 1;
  if (isEmpty) await requireSuperAdmin(source);
  // Amounts of an import that is continued are converted as it began.
  const units = known
    ? { source: Number(known.source_units), own: Number(known.own_units) }
    : unitsOf(options.get('QuotaPerUnit'), { ownUnits: settings.current.QuotaPerUnit, isEmpty });
  const importId = known?.id ?? (isDry ? 0 : await insertImport(store, { name, family, isEmpty, ...units }));
  const report = new Report();
  if (units.source !== units.own)
    report.note(
      `A dollar is ${units.source} units at the source and ${units.own} here: amounts are converted.`,
    );
  if (known && known.finished_at === 0)
    report.note('An import of this source was interrupted; it is continued.');
  const ids = await ImportedIds.load(store.db, importId);
  const scale = scaleOf(units.source, units.own);
  const isFinished = known !== undefined && known.finished_at > 0;
  if (isFinished)
    report.note(
      'This source was imported before: only new rows are brought. Balances and rows that changed there since then are not.',
    );
  return {
    source,
    family,
    store,
    isDry,
    importId,
    ids,
    report,
    scale,
    options,
    overwrites,
    isEmpty,
    isFinished,
  };
}

/** A start creates a super admin only while there are no users. */
async function requireSuperAdmin(source: Source): Promise<void> {
  for await (const rows of pagesOf(source, 'users'))
    for (const row of rows) {
      const fields = new Fields(row);
      // Not `integer`: a row that cannot be read is left behind later.
      if (
        Number(fields.text('role')) >= ROLE.root &&
        Number(fields.text('status') || 1) === 1 &&
        !fields.isSet('deleted_at')
      )
        return;
    }
  throw new SourceError(
    `${source.label} has no super admin that is in use, and there are no users here. Start the server once first.`,
  );
}

async function hasNoUsers({ db }: ImportParts['store']): Promise<boolean> {
  return (await db.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
}

async function insertImport(
  { db }: ImportParts['store'],
  {
    name,
    family,
    isEmpty,
    source,
    own,
  }: { name: string; family: Family; isEmpty: boolean; source: number; own: number },
): Promise<number> {
  const { id } = await db
    .insertInto('imports')
    .values({
      name,
      family,
      created_at: unixSeconds(),
      into_empty: isEmpty ? 1 : 0,
      source_units: String(source),
      own_units: String(own),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The first account of a source has a code that it keeps for ever and no other installation has. */
async function nameOf(source: Source, family: Family): Promise<string> {
  const [first] = await source.page('users', 0, 1);
  if (first === undefined) throw new SourceError(`${source.label} has no users.`);
  const fields = new Fields(first);
  const identity = [family, fields.text('id'), fields.text('aff_code') || fields.text('username')];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
}

async function optionsOf(source: Source): Promise<Map<string, string>> {
  if ((await source.columns('options')).size === 0) return new Map();
  const rows = (await source.all('options')).map((row) => new Fields(row));
  return new Map(rows.map((fields) => [fields.text('key'), fields.text('value')]));
}

async function addNotes(job: Job, { settings }: ImportParts): Promise<void> {
  const { report, isDry } = job;
  report.note('Ids change: a key with a channel number behind it (sk-…-12) must name the new number.');
  if (isDry) return;
  const missing = await missingGroups(job, settings);
  if (missing.length > 0)
    report.note(`Groups without a ratio, whose calls are refused until they get one: ${missing.join(', ')}`);
}

async function finishJob({ store, importId }: Job): Promise<void> {
  await store.db.transaction().execute(async (transaction) => {
    await transaction
      .updateTable('imports')
      .set({ finished_at: unixSeconds() })
      .where('id', '=', importId)
      .where('finished_at', '=', 0)
      .execute();
    // The sums of past hours and days are made again, with what was added; the hourly figures stay.
    await forgetSums(transaction, ['rollup', 'costs']);
  });
  for (const topic of ['users', 'tokens', 'channels'] as const) await store.changes.announce(topic);
}
