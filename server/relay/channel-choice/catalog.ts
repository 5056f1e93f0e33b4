// Which channels serve which model for which group: an in-memory snapshot, rebuilt when channels change. A call keeps the
// snapshot it began with.
import type { Log } from '#contract/context.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { refusedFormatsOf } from '#server/models/providers/spoken.ts';
import type { Format, Provider, ProviderChannel } from '#server/models/providers/provider.ts';
import { reloadInTurn } from '#server/platform/store/reload.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { channelSetting, type ChannelSetting } from './channel-setting.ts';
import { openChannelKey } from './key.ts';
import { lessonsIn, type KeptLesson } from './lessons.ts';
import { mapModel, parseStringMap, type StringMap } from './mapping.ts';
import { readSuffix } from '#server/models/reasoning-suffix.ts';

export interface Channel extends ProviderChannel {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly provider: Provider;
  readonly isEnabled: boolean;
  readonly autoBan: boolean;
  readonly maxConcurrency: number;
  /** The part of its calls that the score of the supplier leaves, up to 1. */
  readonly weightFactor: number;
  readonly modelMapping: StringMap;
  readonly statusMapping: StringMap;
  readonly paramOverride: Readonly<Record<string, unknown>> | undefined;
  readonly setting: ChannelSetting;
  readonly refusedFormats: ReadonlySet<Format>;
  readonly lessons: readonly KeptLesson[];
  /** Headers of every request: the key and the operator's own headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Lower-case names of the headers the operator set on the channel. */
  readonly ownHeaders: ReadonlySet<string>;
}

export interface Candidate {
  readonly channel: Channel;
  readonly weight: number;
}

/** Channels of one priority, highest first. */
export type Tiers = readonly (readonly Candidate[])[];

export interface CatalogSnapshot {
  tiers(group: string, model: string): Tiers;
  models(group: string): readonly string[];
  channel(id: number): Channel | undefined;
  /** All that can be called, also disabled ones. */
  all(): Iterable<Channel>;
  /** Why a channel of a known type cannot be called; undefined when it can. */
  problem(id: number): string | undefined;
  /** The model is served only by task channels (video, music), which the relay does not call. */
  isTaskOnly(group: string, model: string): boolean;
  /** Some channel of the group has the model, enabled or not. */
  isOffered(group: string, model: string): boolean;
}

export interface Catalog {
  readonly current: CatalogSnapshot;
  reload(): Promise<void>;
  close(): void;
}

const ENABLED = 1;
const NO_TIERS: Tiers = [];

/** `factorOf`: the part of its calls that a channel with this score of its supplier keeps. */
export async function openCatalog(
  store: Store,
  log: Log,
  factorOf: (score: number | null) => number = () => 1,
): Promise<Catalog> {
  let current = await load(store, log, factorOf);
  const reload = reloadInTurn(async () => {
    current = await load(store, log, factorOf);
  });
  const close = store.changes.subscribe('channels', async () => {
    await reload().catch((error: unknown) => log.error('channels could not be reloaded', { error }));
  });
  return {
    get current() {
      return current;
    },
    reload,
    close,
  };
}

async function load(
  store: Store,
  log: Log,
  factorOf: (score: number | null) => number,
): Promise<CatalogSnapshot> {
  const [rows, offered, scores] = await Promise.all([
    store.db.selectFrom('channels').selectAll().where('deleted_at', 'is', null).execute(),
    store.db.selectFrom('abilities').selectAll().execute(),
    store.db.selectFrom('supplier_scores').select(['channel_id', 'score']).execute(),
  ]);
  const factors = new Map(scores.map(({ channel_id, score }) => [channel_id, factorOf(score)]));
  const abilities = offered.filter(({ enabled: isOn }) => isOn === 1);
  const channels = new Map<number, Channel>();
  const problems = new Map<number, string>();
  for (const row of rows) {
    try {
      const channel = channelOf(store, row, factors.get(row.id) ?? 1);
      if (channel !== undefined) channels.set(row.id, channel);
    } catch (error) {
      log.error('a channel cannot be used', { channel_id: row.id, error });
      problems.set(row.id, error instanceof Error ? error.message : String(error));
    }
  }
  const taskChannels = new Set(rows.filter(({ type }) => providerOf(type) === undefined).map(({ id }) => id));
  const taskModels = new Set(
    abilities
      .filter(({ channel_id }) => taskChannels.has(channel_id))
      .map(({ group, model }) => `${group} ${model}`),
  );
  const offers = new Set(offered.map(({ group, model }) => `${group} ${model}`));
  const groups = new Map<string, Map<string, Row<'abilities'>[]>>();
  for (const ability of abilities) {
    if (channels.get(ability.channel_id)?.isEnabled !== true) continue;
    let models = groups.get(ability.group);
    if (models === undefined) groups.set(ability.group, (models = new Map()));
    const list = models.get(ability.model);
    if (list === undefined) models.set(ability.model, [ability]);
    else list.push(ability);
  }
  const tiersOf = new Map<string, Map<string, Tiers>>();
  for (const [group, models] of groups) {
    const made = new Map<string, Tiers>();
    for (const [model, list] of models) made.set(model, tiersFrom(list, channels));
    tiersOf.set(group, made);
  }
  return {
    tiers(group, model) {
      const models = tiersOf.get(group);
      if (models === undefined) return NO_TIERS;
      return models.get(model) ?? models.get(familyName(model)) ?? NO_TIERS;
    },
    models: (group) => [...(tiersOf.get(group)?.keys() ?? [])],
    channel: (id) => channels.get(id),
    all: () => channels.values(),
    problem: (id) => problems.get(id),
    isTaskOnly: (group, model) => taskModels.has(`${group} ${model}`),
    isOffered: (group, model) =>
      offers.has(`${group} ${model}`) || offers.has(`${group} ${familyName(model)}`),
  };
}

/** Custom GPTs (`gpt-4-gizmo-…`) are one family, and a reasoning suffix makes no other model. */
export function familyName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return readSuffix(model)?.model ?? model;
}

/**
 * What the upstream counts calls of this model by: its own name, which a reasoning suffix does not change. Callers name custom GPTs as
 * they like, so that one name stands for all of them.
 */
export function limitedName(channel: Channel | undefined, model: string): string {
  const name = channel === undefined ? model : mapModel(channel.modelMapping, model);
  return familyName(name);
}

function tiersFrom(list: readonly Row<'abilities'>[], channels: ReadonlyMap<number, Channel>): Tiers {
  const tiers = new Map<number, Candidate[]>();
  for (const { channel_id, priority, weight } of list) {
    const channel = channels.get(channel_id);
    if (channel === undefined) continue;
    const candidate = { channel, weight: Math.max(0, weight) };
    const tier = tiers.get(priority);
    if (tier === undefined) tiers.set(priority, [candidate]);
    else tier.push(candidate);
  }
  return [...tiers.entries()].sort(([left], [right]) => right - left).map(([, tier]) => tier);
}

/** Undefined for a type that the relay does not call. Throws when its key or a header cannot be sent. */
function channelOf(store: Store, row: Row<'channels'>, weightFactor: number): Channel | undefined {
  const provider = providerOf(row.type);
  if (provider === undefined) return undefined;
  const key = openChannelKey(store.vault, row);
  const base = { baseUrl: row.base_url, key, organization: row.openai_organization, other: row.other };
  const override = parseStringMap(row.header_override);
  const headers = { ...provider.headers(base), ...Object.fromEntries(override) };
  // Throws when a name or value cannot be sent.
  void new Headers(headers);
  return {
    ...base,
    id: row.id,
    name: row.name,
    type: row.type,
    provider,
    isEnabled: row.status === ENABLED,
    autoBan: row.auto_ban === 1,
    maxConcurrency: row.max_concurrency,
    weightFactor,
    modelMapping: parseStringMap(row.model_mapping),
    statusMapping: parseStringMap(row.status_code_mapping),
    paramOverride: objectOf(row.param_override),
    setting: channelSetting(row.setting),
    refusedFormats: refusedFormatsOf(row.refused_formats, objectOf(row.setting)),
    lessons: lessonsIn(row.lessons),
    headers,
    ownHeaders: new Set([...override.keys()].map((name) => name.toLowerCase())),
  };
}

function objectOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Invalid JSON, saved by hand or by an older version, overrides nothing.
  }
  return undefined;
}
