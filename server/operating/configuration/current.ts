// The configuration of the installation, as rows and as comparable items.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { SETTING_KEYS, settingOf, type SettingKey, type Settings } from '#contract/settings.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { CommandStore } from '#server/platform/store/store.ts';
import type { Vault } from '#server/platform/store/vault.ts';
import { virtualModelItem } from './virtual-models.ts';
import type { VirtualModelFields } from '#contract/relay/virtual-models.ts';
import { fieldsOf } from '#server/admin/virtual-models/write.ts';
import { completeEntry, entriesOf, isMapSetting } from './maps.ts';
import { canonical, numberedNames, stateOf, type Item, type State } from './state.ts';

export const PLAIN_SETTINGS: readonly SettingKey[] = SETTING_KEYS.filter((key) => !isMapSetting(key));

export interface Current {
  settings: Settings;
  suppliers: Row<'suppliers'>[];
  channels: (Row<'channels'> & { item: string })[];
  virtualModels: VirtualModelFields[];
  plans: (Row<'plans'> & { item: string })[];
  state: State;
}

export async function readCurrent(
  { db, vault }: Pick<CommandStore, 'db' | 'vault'>,
  settings: Settings,
): Promise<Current> {
  const suppliers = await db.selectFrom('suppliers').selectAll().orderBy('id').execute();
  const supplierOf = new Map(suppliers.map(({ id, name }) => [id, name]));
  const channels = await db
    .selectFrom('channels')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const plans = await db
    .selectFrom('plans')
    .selectAll()
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  const virtualRows = await db.selectFrom('virtual_models').selectAll().orderBy('name').execute();
  const virtualModels = virtualRows.map(fieldsOf);
  const named = { channels: numberedNames(channels), plans: numberedNames(plans) };
  const items: Item[] = [
    ...PLAIN_SETTINGS.map((key) => settingItem(vault, key, settings[key])),
    ...(['groups', 'prices'] as const).flatMap((kind) =>
      [...entriesOf(settings, kind)].map(([name, entry]) => ({
        kind,
        name,
        fields: completeEntry(kind, entry),
      })),
    ),
    ...suppliers.map(supplierItem),
    ...named.channels.map((row) => channelItem(vault, row.item, row, supplierOf.get(row.supplier_id))),
    ...virtualModels.map(virtualModelItem),
    ...named.plans.map((row) => planItem(row.item, row)),
  ];
  return { settings, suppliers, virtualModels, ...named, state: stateOf(items) };
}

export function settingItem(vault: Vault, key: SettingKey, value: unknown): Item {
  const setting = settingOf(key);
  const isDefault = canonical(value) === canonical(setting.fallback);
  const shown = setting.kind === 'secret' ? secretOf(vault, `setting ${key}`, String(value)) : value;
  return {
    kind: 'settings',
    name: key,
    fields: { value: shown, ...(isDefault ? { is_default: true } : {}) },
  };
}

/** Empty when there is no secret. */
export function secretOf(vault: Vault, purpose: string, text: string): string {
  return text === '' ? '' : `secret:${vault.digest(purpose, text)}`;
}

const object = (text = ''): unknown => (text.trim() === '' ? {} : (JSON.parse(text) as unknown));

export const supplierItem = ({ name, buy_price }: Pick<Row<'suppliers'>, 'name' | 'buy_price'>): Item => ({
  kind: 'suppliers',
  name,
  fields: { buy_price: object(buy_price) },
});

type ChannelColumns = Omit<Row<'channels'>, 'id' | 'key_sealed' | 'key_hint'>;

/** `setting` and `header_override` may hold passwords, so they are compared by digest. */
export function channelItem(vault: Vault, name: string, row: Partial<ChannelColumns>, supplier = ''): Item {
  const list = (text = ''): string[] => text.split(',').filter(Boolean).toSorted();
  return {
    kind: 'channels',
    name,
    fields: {
      type: row.type,
      base_url: row.base_url ?? '',
      other: row.other ?? '',
      models: list(row.models),
      groups: list(row.group),
      model_mapping: object(row.model_mapping),
      tag: row.tag ?? '',
      priority: row.priority ?? 0,
      weight: row.weight ?? 0,
      openai_organization: row.openai_organization ?? '',
      test_model: row.test_model ?? '',
      auto_ban: row.auto_ban !== 0,
      status_code_mapping: object(row.status_code_mapping),
      param_override: object(row.param_override),
      max_concurrency: row.max_concurrency ?? 0,
      supplier,
      buy_price: object(row.buy_price),
      // A channel that the gateway disabled is one that the operator wants enabled.
      enabled: row.status !== CHANNEL_STATUS.disabled,
      setting: digestOf(vault, 'channel setting', row.setting),
      header_override: digestOf(vault, 'channel headers', row.header_override),
      key: row.key_digest ? `secret:${row.key_digest}` : '',
    },
  };
}

function digestOf(vault: Vault, purpose: string, text = ''): string {
  const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
  return canonical(value) === '{}' ? '' : secretOf(vault, purpose, canonical(value));
}

export function planItem(name: string, row: Omit<Row<'plans'>, 'id' | 'created_at' | 'deleted_at'>): Item {
  const { description, price_minor, currency, price_quota, duration_unit, duration_count, quota, reset } =
    row;
  return {
    kind: 'plans',
    name,
    fields: {
      description,
      // Left out while there is none: files and records of before say nothing of it.
      ...(row.name_en === '' ? {} : { name_en: row.name_en }),
      ...(row.description_en === '' ? {} : { description_en: row.description_en }),
      price_minor,
      currency,
      price_quota,
      duration_unit,
      duration_count,
      quota,
      reset,
      models: row.models.split(',').filter(Boolean).toSorted(),
      group: row.group,
      on_sale: row.on_sale === 1,
      limit_per_user: row.limit_per_user,
      sort_order: row.sort_order,
    },
  };
}
