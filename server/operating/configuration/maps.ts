// Settings that are maps from a group or a model to a value: the file has one entry for the group or model instead.
import type { SettingKey, Settings } from '#contract/settings.ts';

export const GROUP_MAPS = {
  ratio: 'GroupRatio',
  /** Users may choose the group; the text describes it. */
  description: 'UserUsableGroups',
  top_up_ratio: 'TopupGroupRatio',
} as const satisfies Record<string, SettingKey>;

export const PRICE_MAPS = {
  price: 'ModelPrice',
  ratio: 'ModelRatio',
  completion_ratio: 'CompletionRatio',
  cache_ratio: 'CacheRatio',
  create_cache_ratio: 'CreateCacheRatio',
  create_cache_1h_ratio: 'CreateCache1hRatio',
  image_ratio: 'ImageRatio',
  audio_ratio: 'AudioRatio',
  audio_completion_ratio: 'AudioCompletionRatio',
  reasoning_ratio: 'ReasoningRatio',
} as const satisfies Record<string, SettingKey>;

export type MapSetting =
  | (typeof GROUP_MAPS)[keyof typeof GROUP_MAPS]
  | (typeof PRICE_MAPS)[keyof typeof PRICE_MAPS];

const MAP_SETTINGS: readonly string[] = [...Object.values(GROUP_MAPS), ...Object.values(PRICE_MAPS)];

export const isMapSetting = (key: string): boolean => MAP_SETTINGS.includes(key);

type Maps = Readonly<Record<string, MapSetting>>;

export const mapsOf = (kind: 'groups' | 'prices'): Maps => (kind === 'groups' ? GROUP_MAPS : PRICE_MAPS);

/** Name → its values in all maps; a map without the name gives no field. */
export function entriesOf(
  settings: Settings,
  kind: 'groups' | 'prices',
): Map<string, Record<string, unknown>> {
  const entries = new Map<string, Record<string, unknown>>();
  for (const [field, key] of Object.entries(mapsOf(kind)))
    for (const [name, value] of Object.entries(settings[key])) {
      const entry = entries.get(name) ?? {};
      entry[field] = value;
      entries.set(name, entry);
    }
  return entries;
}

/** Every field of the kind, with null where the entry has none, so that a removed field is a difference. */
export function completeEntry(
  kind: 'groups' | 'prices',
  entry: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.keys(mapsOf(kind)).map((field) => [field, entry[field] ?? null]));
}
