// The installation as a file. Secrets are references to the environment unless they are asked for.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { settingOf } from '#contract/settings.ts';
import { openChannelKey } from '#server/relay/channel-choice/key.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { PLAIN_SETTINGS, planItem, readCurrent, type Current } from './current.ts';
import {
  DOCUMENT_VERSION,
  formatDocument,
  type ChannelEntry,
  type ConfigurationDocument,
} from './document.ts';
import { entriesOf } from './maps.ts';
import type { ConfigurationParts } from './parts.ts';
import { referenceMaker } from './references.ts';
import { canonical } from './state.ts';

export async function exportConfiguration(
  { store, settings }: Pick<ConfigurationParts, 'store' | 'settings'>,
  withSecrets: boolean,
): Promise<string> {
  const current = await readCurrent(store, settings.current);
  const reference = referenceMaker();
  const secret: Secret = (text, ...words) => (withSecrets ? text : reference(...words));
  return formatDocument({
    version: DOCUMENT_VERSION,
    settings: savedSettings(current, secret),
    groups: Object.fromEntries(entriesOf(current.settings, 'groups')),
    prices: Object.fromEntries(entriesOf(current.settings, 'prices')) as ConfigurationDocument['prices'],
    suppliers: current.suppliers.map(({ name, buy_price }) => ({
      name,
      ...(buy_price === '' ? {} : { buy_price: JSON.parse(buy_price) as Record<string, unknown> }),
    })),
    channels: current.channels.map((row) => ({
      ...channelEntry(store.vault, row, secret),
      ...supplierOf(current, row.supplier_id),
    })),
    virtual_models: current.virtualModels,
    plans: current.plans.map((row) => ({
      name: row.name,
      ...planItem(row.name, row).fields,
    })),
  });
}

/** The text itself or a reference that is named with the words. */
type Secret = (text: string, ...words: string[]) => string;

/** Those that are not at their default. */
function savedSettings({ settings }: Current, secret: Secret): Record<string, unknown> {
  const entries = PLAIN_SETTINGS.flatMap((key) => {
    const { kind, fallback } = settingOf(key);
    const value: unknown = settings[key];
    if (canonical(value) === canonical(fallback)) return [];
    return [[key, kind === 'secret' ? secret(String(value), 'setting', key) : value]];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function channelEntry(
  vault: Vault,
  { item, ...row }: Current['channels'][number],
  secretOf: Secret,
): ChannelEntry {
  const json = (text: string): Record<string, unknown> | undefined =>
    text.trim() === '' ? undefined : (JSON.parse(text) as Record<string, unknown>);
  const secret: Secret = (text, ...words) => secretOf(text, 'channel', item, ...words);
  const key = openChannelKey(vault, row);
  const list = (text: string) => text.split(',').filter(Boolean);
  const typeName = Object.entries(CHANNEL_TYPE).find(([, type]) => type === row.type)?.[0];
  const entry: ChannelEntry = {
    name: row.name,
    type: typeName ?? row.type,
    key: key === '' ? undefined : secret(key, 'key'),
    base_url: row.base_url || undefined,
    other: row.other || undefined,
    models: list(row.models),
    groups: list(row.group),
    model_mapping: json(row.model_mapping),
    tag: row.tag ?? undefined,
    priority: row.priority || undefined,
    weight: row.weight || undefined,
    setting: settingOfChannel(json(row.setting), (text) => secret(text, 'proxy')),
    openai_organization: row.openai_organization || undefined,
    test_model: row.test_model || undefined,
    auto_ban: row.auto_ban === 1 ? undefined : false,
    status_code_mapping: json(row.status_code_mapping),
    param_override: json(row.param_override),
    header_override: headers(json(row.header_override), secret),
    max_concurrency: row.max_concurrency || undefined,
    buy_price: json(row.buy_price),
    enabled: row.status === CHANNEL_STATUS.disabled ? false : undefined,
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as ChannelEntry;
}

function supplierOf({ suppliers }: Current, id: number): Pick<ChannelEntry, 'supplier'> {
  const supplier = suppliers.find((each) => each.id === id);
  return supplier === undefined ? {} : { supplier: supplier.name };
}

/** The address of a proxy may hold a password, or a key in place of the name. */
function settingOfChannel(setting: Record<string, unknown> | undefined, secret: (text: string) => string) {
  const proxy = setting?.['proxy'];
  return typeof proxy === 'string' && proxy.includes('@') ? { ...setting, proxy: secret(proxy) } : setting;
}

/** Operators put keys into headers. */
function headers(
  values: Record<string, unknown> | undefined,
  secret: Secret,
): Record<string, unknown> | undefined {
  if (values === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, secret(String(value), 'header', name)]),
  );
}
