// What a file asks for, checked by the schemas and rules of the API. Every refusal names the place in the file.
import { z } from 'zod';
import { channelCreate } from '#contract/relay/channel-fields.ts';
import { AppError, errorMessage } from '#contract/errors.ts';
import { planFields } from '#contract/money/plans.ts';
import { compilePrivateEntries, opensEntry } from '#contract/operating/private-addresses.ts';
import { problemSentence } from '#contract/problem-words.ts';
import { isSettingKey, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import { channelColumns, checkType, keysOf } from '#server/admin/channels/fields.ts';
import { columnsOf as planColumns } from '#server/admin/plans/manage.ts';
import { createProviders } from '#server/money/payments/index.ts';
import { checkSetting } from '#server/platform/settings/rules.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { channelItem, planItem, secretOf, type Current } from './current.ts';
import { ConfigurationError, placeOf, type ConfigurationDocument } from './document.ts';
import { completeEntry, isMapSetting, mapsOf, type MapSetting } from './maps.ts';
import type { ConfigurationParts } from './parts.ts';
import { bodyOf, resolvedFields } from './channel-entry.ts';
import { resolve } from './references.ts';
import type { VirtualModelFields } from '#contract/relay/virtual-models.ts';
import { wantedVirtualModels } from './virtual-models.ts';
import { checkSupplier, wantedSuppliers, type WantedSuppliers } from './suppliers.ts';
import {
  ITEM_KINDS,
  itemKey,
  numberedNames,
  stateOf,
  type Item,
  type ItemKind,
  type State,
} from './state.ts';

export interface WantedChannel {
  columns: NewRow<'channels'>;
  /** Undefined: the stored key stays. */
  key: string | undefined;
  enabled: boolean;
  /** The name of its supplier; empty: none. */
  supplier: string;
  /** Columns with a variable that is not set stay as they are. */
  kept: string[];
}

export interface Wanted {
  state: State;
  kinds: ReadonlySet<ItemKind>;
  /** Texts of the settings that the file names, and of the maps with its groups and prices. */
  settings: Map<SettingKey, string>;
  suppliers: Map<string, string>;
  channels: Map<string, WantedChannel>;
  virtualModels: Map<string, VirtualModelFields>;
  plans: Map<string, NewRow<'plans'>>;
  notes: readonly string[];
}

class Problems {
  readonly found: string[] = [];
  readonly notes: string[] = [];

  add(place: string, sentence: string): void {
    this.found.push(`${place}: ${sentence}`);
  }

  /** A refusal of the API's rules, at this place. */
  refusal(place: string, error: unknown): void {
    if (!(error instanceof AppError)) throw error;
    const field = error.extra['field'];
    this.add(
      typeof field === 'string' ? `${place}.${field}` : place,
      errorMessage(error.code, 'en', error.parameters),
    );
  }

  schema(place: string, error: z.ZodError): void {
    for (const issue of error.issues) this.add(placeOf([place, ...issue.path]), problemSentence(issue, 'en'));
  }
}

export async function readWanted(
  parts: ConfigurationParts,
  document: ConfigurationDocument,
  current: Current,
): Promise<Wanted> {
  const problems = new Problems();
  const settings = wantedSettings(parts, document, current, problems);
  const suppliers = wantedSuppliers(document, (place, sentence) => problems.add(place, sentence));
  const channels = await readWantedChannels(
    parts,
    document,
    { current, suppliers, settings: settings.next },
    problems,
  );
  const virtualModels = wantedVirtualModels(document, problems);
  const plans = wantedPlans(document, current, { settings: settings.next, problems });
  if (problems.found.length > 0) throw new ConfigurationError(problems.found);
  return {
    state: stateOf([
      ...settings.items,
      ...suppliers.items,
      ...channels.items,
      ...virtualModels.items,
      ...plans.items,
    ]),
    kinds: new Set(ITEM_KINDS.filter((kind) => document[kind] !== undefined)),
    settings: settings.texts,
    suppliers: suppliers.wanted,
    channels: channels.wanted,
    virtualModels: virtualModels.wanted,
    plans: plans.wanted,
    notes: problems.notes,
  };
}

function wantedSettings(
  { store, variables }: ConfigurationParts,
  document: ConfigurationDocument,
  { settings: current }: Current,
  problems: Problems,
) {
  const values = new Map<SettingKey, unknown>();
  const items: Item[] = [];
  for (const [key, raw] of Object.entries(document.settings ?? {})) {
    const place = `settings.${key}`;
    if (!isSettingKey(key)) problems.add(place, 'There is no such setting.');
    else if (isMapSetting(key)) problems.add(place, 'This belongs to the sections groups and prices.');
    else {
      const { value, missing } = resolve(raw, variables);
      // The stored secret stays; one that was never stored stays empty.
      if (missing.length > 0) {
        items.push({ kind: 'settings', name: key, fields: {} });
        continue;
      }
      const parsed = settingOf(key).schema.safeParse(value, { reportInput: true });
      if (parsed.success) values.set(key, parsed.data);
      else problems.schema(place, parsed.error);
    }
  }
  for (const kind of ['groups', 'prices'] as const) {
    const entries = document[kind];
    if (entries === undefined) continue;
    for (const [name, entry] of Object.entries(entries))
      items.push({ kind, name, fields: completeEntry(kind, entry as Record<string, unknown>) });
    for (const [field, key] of Object.entries(mapsOf(kind)))
      values.set(key, mapWith(current, key, field, entries));
  }
  const next = { ...current, ...Object.fromEntries(values) } as Settings;
  const texts = new Map<SettingKey, string>();
  for (const [key, value] of values) {
    try {
      const { text, kind } = checkSetting(key, settingOf(key).format(value), next, 'en');
      texts.set(key, text);
      if (isMapSetting(key)) continue;
      const shown =
        kind === 'secret' ? secretOf(store.vault, `setting ${key}`, text) : settingOf(key).parse(text);
      items.push({ kind: 'settings', name: key, fields: { value: shown } });
    } catch (error) {
      // The refusal names the setting itself, or the one that it needs.
      problems.refusal('settings', error);
    }
  }
  return { items, texts, next };
}

/** The map as it would be with the entries of the file; names that the file does not have stay. */
function mapWith(
  settings: Settings,
  key: MapSetting,
  field: string,
  entries: Readonly<Record<string, object>>,
): Record<string, unknown> {
  const map: Record<string, unknown> = { ...settings[key] };
  for (const [name, entry] of Object.entries(entries)) {
    const value = (entry as Record<string, unknown>)[field];
    if (value === undefined) delete map[name];
    else map[name] = value;
  }
  return map;
}

async function readWantedChannels(
  parts: ConfigurationParts,
  { channels = [] }: ConfigurationDocument,
  known: { current: Current; suppliers: WantedSuppliers; settings: Settings },
  problems: Problems,
) {
  const wanted = new Map<string, WantedChannel>();
  const items: Item[] = [];
  for (const [index, { item, ...entry }] of numberedNames(channels).entries()) {
    const place = `channels[${index}]`;
    const { fields, missing } = resolvedFields(entry, parts.variables);
    checkSupplier(entry.supplier, known, (sentence) => problems.add(`${place}.supplier`, sentence));
    const isNew = !known.current.state.has(itemKey({ kind: 'channels', name: item }));
    if (isNew)
      for (const [field, names] of missing)
        problems.add(
          `${place}.${field}`,
          `The environment variable ${names.join(', ')} is not set, or not named with --env.`,
        );
    try {
      const body = channelCreate.safeParse(bodyOf(fields), { reportInput: true });
      if (!body.success) {
        problems.schema(place, body.error);
        continue;
      }
      const columns = { ...channelColumns(body.data), tag: body.data.tag || null } as NewRow<'channels'>;
      const { type, base_url = '', other = '' } = body.data;
      await checkType(parts.channels, { type, base_url, other }, 'en').catch((error: unknown) => {
        const note = privateNote(error, known.settings.AllowedPrivateAddresses);
        if (note === undefined) throw error;
        if (note !== '') problems.notes.push(`${place}.base_url: ${note}`);
      });
      const keys = missing.has('key') ? [] : keysOf(parts.channels, type, body.data.key);
      if (keys.length > 1) problems.add(`${place}.key`, 'A channel has one key.');
      const key = missing.has('key') || entry.key === undefined ? undefined : (keys[0] ?? '');
      const { enabled = true, supplier = '' } = entry;
      wanted.set(item, { columns, key, enabled, supplier, kept: [...missing.keys()] });
      items.push(wantedChannelItem(parts, item, { columns, key, enabled, supplier, missing }));
    } catch (error) {
      problems.refusal(place, error);
    }
  }
  return { wanted, items };
}

/**
 * Which private addresses a server may call depends on its own environment, which this process does not have; every call is
 * checked there. Empty: the settings allow it. Undefined: not a refusal of a private address.
 */
function privateNote(error: unknown, allowed: readonly string[]): string | undefined {
  if (!(error instanceof AppError) || error.code !== 'channel_address_private') return undefined;
  const needed = error.extra['private_addresses'] as readonly string[];
  const opened = compilePrivateEntries(allowed);
  if (needed.every((entry) => opensEntry(opened, entry))) return '';
  return `${needed.join(', ')} is in a private network. The server calls it only if AllowedPrivateAddresses (or ALLOWED_PRIVATE_ADDRESSES in the environment of the server) has it.`;
}

function wantedChannelItem(
  { store }: ConfigurationParts,
  name: string,
  {
    columns,
    key,
    enabled,
    supplier,
    missing,
  }: {
    columns: NewRow<'channels'>;
    key: string | undefined;
    enabled: boolean;
    supplier: string;
    missing: ReadonlyMap<string, unknown>;
  },
): Item {
  const digest = key === undefined || key === '' ? '' : store.vault.digest('channel', key);
  const row = { ...columns, key_digest: digest, status: enabled ? 1 : 2 };
  const item = channelItem(store.vault, name, row, supplier);
  // A file without a key, or with a variable that is not set, says nothing about it.
  const unknown = new Set([...missing.keys(), ...(key === undefined ? ['key'] : [])]);
  const fields = Object.entries(item.fields).filter(([field]) => !unknown.has(field));
  return { ...item, fields: Object.fromEntries(fields) };
}

function wantedPlans(
  { plans = [] }: ConfigurationDocument,
  current: Current,
  { settings, problems }: { settings: Settings; problems: Problems },
) {
  const providers = createProviders({
    settings: { current: settings },
    egress: { fetch: () => Promise.reject(new Error('no provider is called')) },
  });
  const wanted = new Map<string, NewRow<'plans'>>();
  const items: Item[] = [];
  for (const [index, { item, ...entry }] of numberedNames(plans).entries()) {
    const place = `plans[${index}]`;
    const parsed = planFields.strict().safeParse(entry, { reportInput: true });
    if (!parsed.success) {
      problems.schema(place, parsed.error);
      continue;
    }
    try {
      const before = current.plans.find((row) => row.item === item);
      const columns = planColumns(
        { settings: { current: settings }, payments: { providers } },
        parsed.data,
        before,
      );
      const row = { ...parsed.data, ...columns } as NewRow<'plans'>;
      wanted.set(item, row);
      items.push(planItem(item, row as Parameters<typeof planItem>[1]));
    } catch (error) {
      problems.refusal(place, error);
    }
  }
  return { wanted, items };
}
