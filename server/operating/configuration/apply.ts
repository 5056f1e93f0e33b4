// Applies a file: everything in one transaction, or nothing. Audit rows are its last statements, because they lock the chain.
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { AppError, errorMessage } from '#contract/errors.ts';
import { settingOf, type SettingKey } from '#contract/settings.ts';
import { rebuildAbilities } from '#server/admin/channels/abilities.ts';
import { insertChannels } from '#server/admin/channels/create.ts';
import { keyColumns } from '#server/admin/channels/key.ts';
import { auditedChannel } from '#server/admin/channels/view.ts';
import { refuseGroupsInUse } from '#server/platform/settings/group-use.ts';
import { writeOptions, type OptionAudit, type OptionChange } from '#server/platform/settings/options.ts';
import type { RowChange, Schema } from '#server/platform/store/schema.ts';
import { readCurrent, type Current } from './current.ts';
import { ConfigurationError, parseDocument } from './document.ts';
import { isMapSetting, mapsOf } from './maps.ts';
import type { AuditedChange, ConfigurationParts } from './parts.ts';
import { supplierId, writeSupplier } from './suppliers.ts';
import { differencesOf, type Difference } from './state.ts';
import { readWanted, type Wanted } from './wanted.ts';

export interface Comparison {
  wanted: Wanted;
  current: Current;
  differences: Difference[];
  /** For the operator, about what the file asks for. */
  notes: readonly string[];
}

export async function compareFile(parts: ConfigurationParts, text: string): Promise<Comparison> {
  const current = await readCurrent(parts.store, parts.settings.current);
  const wanted = await readWanted(parts, parseDocument(text), current);
  const differences = differencesOf(wanted.state, current.state, wanted.kinds);
  return { wanted, current, differences, notes: wanted.notes };
}

export interface ApplyOptions {
  /** Its name, for the console. */
  file: string;
  text: string;
  /** Removes what only the installation has. */
  prune: boolean;
}

export async function applyComparison(
  parts: ConfigurationParts,
  { wanted, current, differences }: Comparison,
  { file, text, prune }: ApplyOptions,
): Promise<void> {
  const { store } = parts;
  const done = differences.filter(({ change }) => change !== 'extra' || prune);
  const hash = createHash('sha256').update(text).digest('hex');
  // Applying the same file again leaves no trace.
  if (done.length === 0 && hash === (await lastHash(store))) return;
  const options = optionChanges({ wanted, current, differences: done });
  for (const { key, text: value } of options)
    if (value !== undefined) await requireUnusedGroups(parts, key, value);
  await store.db.transaction().execute(async (transaction) => {
    const audited: AuditedChange[] = [];
    const optionAudit: OptionAudit = async (_, written) => {
      for (const { key, before, after } of written)
        audited.push({
          action: 'option.save',
          target: `option:${key}`,
          before: { value: before },
          after: { value: after },
        });
    };
    const version = { source: 'configuration', reason: file };
    const { vault, dialect } = store;
    await writeOptions({ transaction, vault, dialect }, options, { actorId: 0, audit: optionAudit, version });
    for (const { kind, name } of done) {
      if (kind === 'suppliers')
        audited.push(await writeSupplier(transaction, name, wanted.suppliers.get(name)));
      if (kind === 'channels')
        audited.push(await writeChannel(parts, transaction, { wanted, current, name }));
      if (kind === 'plans') audited.push(await writePlan(transaction, { wanted, current, name }));
    }
    await transaction
      .insertInto('applied_configurations')
      .values({ applied_at: Math.floor(Date.now() / 1000), file, hash, document: documentOf(wanted) })
      .execute();
    audited.push({
      action: 'configuration.apply',
      target: 'configuration',
      after: { file, hash, changes: done.length },
    });
    for (const change of audited) await parts.audit(transaction, change);
  });
  await store.changes.announce('settings');
  await store.changes.announce('channels');
}

async function lastHash({ db }: ConfigurationParts['store']): Promise<string | undefined> {
  const last = db.selectFrom('applied_configurations').select('hash').orderBy('id', 'desc').limit(1);
  return (await last.executeTakeFirst())?.hash;
}

/** The items with digests in place of secrets. */
const documentOf = ({ state, kinds }: Wanted): string =>
  JSON.stringify({ kinds: [...kinds], items: [...state.values()] });

function optionChanges({ wanted, current, differences }: Omit<Comparison, 'notes'>): OptionChange[] {
  const changes = new Map<SettingKey, string | undefined>();
  for (const { kind, name, change } of differences) {
    const key = name as SettingKey;
    if (kind === 'settings')
      changes.set(key, change === 'extra' ? undefined : (wanted.settings.get(key) ?? ''));
  }
  for (const kind of ['groups', 'prices'] as const) {
    const own = differences.filter((difference) => difference.kind === kind);
    if (own.length === 0) continue;
    const removed = own.filter(({ change }) => change === 'extra').map(({ name }) => name);
    for (const key of Object.values(mapsOf(kind))) {
      const setting = settingOf(key);
      const map = {
        ...(setting.parse(wanted.settings.get(key) ?? setting.format(current.settings[key])) as object),
      };
      for (const name of removed) Reflect.deleteProperty(map, name);
      changes.set(key, setting.format(map));
    }
  }
  return [...changes].map(([key, text]) => ({ key, text }));
}

/** A group that users are in is not removed. */
async function requireUnusedGroups(parts: ConfigurationParts, key: SettingKey, text: string): Promise<void> {
  if (!isMapSetting(key)) return;
  try {
    await refuseGroupsInUse(parts, key, text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ConfigurationError([`groups: ${errorMessage(error.code, 'en', error.parameters)}`]);
  }
}

interface Named {
  wanted: Wanted;
  current: Current;
  name: string;
}

async function writeChannel(
  { store }: ConfigurationParts,
  transaction: Transaction<Schema>,
  { wanted, current, name }: Named,
): Promise<AuditedChange> {
  const before = current.channels.find(({ item }) => item === name);
  const found = wanted.channels.get(name);
  const next = found && {
    ...found,
    columns: { ...found.columns, supplier_id: await supplierId(transaction, found.supplier) },
  };
  if (before === undefined) {
    if (next === undefined) throw new Error(`the channel ${name} is neither here nor in the file`);
    const status = next.enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
    const [row] = await insertChannels(
      { store },
      transaction,
      { ...next.columns, status, deleted_at: null },
      [next.key ?? ''],
    );
    if (row === undefined) throw new Error('one key makes one channel');
    return { action: 'channel.create', target: `channel:${row.id}`, after: auditedChannel(row) };
  }
  const { item: _, ...old } = before;
  const row = await transaction
    .updateTable('channels')
    .set(
      next === undefined
        ? { deleted_at: Math.floor(Date.now() / 1000) }
        : channelChange({ store, next, old }),
    )
    .where('id', '=', old.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await rebuildAbilities(transaction, [row]);
  const action = next === undefined ? 'channel.delete' : 'channel.change';
  return { action, target: `channel:${row.id}`, before: auditedChannel(old), after: auditedChannel(row) };
}

function channelChange({
  store,
  next,
  old,
}: {
  store: ConfigurationParts['store'];
  next: NonNullable<ReturnType<Wanted['channels']['get']>>;
  old: Omit<Current['channels'][number], 'item'>;
}): RowChange<'channels'> {
  const columns: RowChange<'channels'> = { ...next.columns };
  for (const field of next.kept) Reflect.deleteProperty(columns, field);
  const isMoved =
    columns.type !== old.type || columns.base_url !== old.base_url || columns.other !== old.other;
  const wasEnabled = old.status !== CHANNEL_STATUS.disabled;
  return {
    ...columns,
    ...(next.key === undefined ? {} : keyColumns(store.vault, old.id, next.key)),
    ...(next.enabled === wasEnabled
      ? {}
      : { status: next.enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled }),
    // What was learned of the old address does not hold for a new one.
    ...(isMoved ? { refused_formats: '', lessons: '' } : {}),
  };
}

async function writePlan(
  transaction: Transaction<Schema>,
  { wanted, current, name }: Named,
): Promise<AuditedChange> {
  const before = current.plans.find(({ item }) => item === name);
  const next = wanted.plans.get(name);
  const now = Math.floor(Date.now() / 1000);
  if (before === undefined) {
    if (next === undefined) throw new Error(`the plan ${name} is neither here nor in the file`);
    const values = { ...next, created_at: now, deleted_at: null };
    const { id } = await transaction
      .insertInto('plans')
      .values(values)
      .returning('id')
      .executeTakeFirstOrThrow();
    return { action: 'plan.create', target: `plan:${id}`, after: next };
  }
  await transaction
    .updateTable('plans')
    .set(next === undefined ? { deleted_at: now, on_sale: 0 } : next)
    .where('id', '=', before.id)
    .execute();
  const action = next === undefined ? 'plan.remove' : 'plan.change';
  return { action, target: `plan:${before.id}`, before, after: next };
}
