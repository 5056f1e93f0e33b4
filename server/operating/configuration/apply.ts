// Applies a file: everything in one transaction, or nothing. Audit rows are its last statements, because they lock the chain.
import { createHash } from 'node:crypto';
import type { Transaction } from 'kysely';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { AppError, errorMessage } from '#contract/errors.ts';
import { settingOf, type SettingKey } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import { saveChannel } from '#server/admin/channels/change.ts';
import { addChannels } from '#server/admin/channels/create.ts';
import type { Actor } from '#server/admin/context.ts';
import { removePlan, savePlan } from '#server/admin/plans/write-plan.ts';
import { keyColumns } from '#server/relay/channel-choice/key.ts';
import { learnedColumns, statusColumns, type ChannelColumns } from '#server/relay/channel-choice/write.ts';
import { refuseGroupsInUse } from '#server/platform/settings/group-use.ts';
import { writeOptions, type OptionAudit, type OptionChange } from '#server/platform/settings/options.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import { readCurrent, type Current } from './current.ts';
import { ConfigurationError, parseDocument } from './document.ts';
import { isMapSetting, mapsOf } from './maps.ts';
import type { AuditedChange, ConfigurationParts } from './parts.ts';
import { supplierId, writeSupplier } from './suppliers.ts';
import { writeVirtualModel } from './virtual-models.ts';
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
    const actor: Actor = {
      audit: async (_, action, target, before, after) => void audited.push({ action, target, before, after }),
    };
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
      if (kind === 'suppliers') await writeSupplier(actor, transaction, name, wanted.suppliers.get(name));
      if (kind === 'channels') await writeChannel(parts, transaction, { actor, wanted, current, name });
      if (kind === 'plans') await writePlan(transaction, { actor, wanted, current, name });
    }
    // After the channels, whose models their targets are.
    for (const { kind, name } of done)
      if (kind === 'virtual_models')
        await writeVirtualModel(actor, transaction, name, wanted.virtualModels.get(name));
    await transaction
      .insertInto('applied_configurations')
      .values({ applied_at: unixSeconds(), file, hash, document: documentOf(wanted) })
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
  await store.changes.announce('virtual_models');
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
  actor: Actor;
  wanted: Wanted;
  current: Current;
  name: string;
}

async function writeChannel(
  { store }: ConfigurationParts,
  transaction: Transaction<Schema>,
  { actor, wanted, current, name }: Named,
): Promise<void> {
  const before = current.channels.find(({ item }) => item === name);
  const found = wanted.channels.get(name);
  const next = found && {
    ...found,
    columns: { ...found.columns, supplier_id: await supplierId(transaction, found.supplier) },
  };
  if (before === undefined) {
    if (next === undefined) throw new Error(`the channel ${name} is neither here nor in the file`);
    const status = next.enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled;
    const columns = { ...next.columns, status, deleted_at: null };
    await addChannels(actor, store, transaction, columns, [next.key ?? '']);
    return;
  }
  const { item: _, ...old } = before;
  if (next !== undefined) await saveChannel(actor, transaction, old, channelChange({ store, next, old }));
  else await saveChannel(actor, transaction, old, { deleted_at: unixSeconds() }, 'channel.delete');
}

function channelChange({
  store,
  next,
  old,
}: {
  store: ConfigurationParts['store'];
  next: NonNullable<ReturnType<Wanted['channels']['get']>>;
  old: Omit<Current['channels'][number], 'item'>;
}): ChannelColumns {
  const columns: ChannelColumns = { ...next.columns };
  for (const field of next.kept) Reflect.deleteProperty(columns, field);
  const wasEnabled = old.status !== CHANNEL_STATUS.disabled;
  return {
    ...columns,
    ...(next.key === undefined ? {} : keyColumns(store.vault, old.id, next.key)),
    ...(next.enabled === wasEnabled
      ? {}
      : statusColumns(next.enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled)),
    ...learnedColumns(old, columns),
  };
}

async function writePlan(
  transaction: Transaction<Schema>,
  { actor, wanted, current, name }: Named,
): Promise<void> {
  const before = current.plans.find(({ item }) => item === name);
  const next = wanted.plans.get(name);
  if (next !== undefined) await savePlan(actor, transaction, before, next);
  else if (before !== undefined) await removePlan(actor, transaction, before.id);
}
