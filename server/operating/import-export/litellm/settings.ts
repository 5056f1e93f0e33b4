// What LiteLLM's configuration says beside models, keys and prices: settings that exist here are brought, and each other one
// is named with the reason. Values of unknown names may be secrets and are not repeated.
import type { ChannelOrder } from '#contract/money/margin-settings.ts';
import type { SettingKey } from '#contract/settings.ts';

type Members = Record<string, unknown>;

export interface LiteLlmSettings {
  options: Map<SettingKey, string>;
  left: { name: string; reason: string }[];
  notes: string[];
}

/** Sections with settings; of two that have the same name the first one decides, as at LiteLLM. */
const SECTIONS = ['router_settings', 'litellm_settings', 'general_settings'] as const;

const ORDERS: Record<string, ChannelOrder | undefined> = {
  'simple-shuffle': 'weight',
  'latency-based-routing': 'fastest',
};

const FALLBACKS = [
  'fallbacks',
  'context_window_fallbacks',
  'content_policy_fallbacks',
  'default_fallbacks',
] as const;
const FALLBACK_REASON =
  'a call is retried on other channels of its own model only; offer that model on another channel with a lower priority and a model mapping';
const LIMITS = ['rpm', 'tpm'] as const;
const LIMIT_REASON =
  'a channel has no limit per minute; its max_concurrency limits calls at the same time, and users and keys have limits per minute';

/** Fields of an entry that the import reads. */
const READ: Record<string, readonly string[]> = {
  '': ['model_name', 'litellm_params', 'model_info', ...LIMITS],
  litellm_params: [
    'model',
    'custom_llm_provider',
    'api_key',
    'api_base',
    'base_url',
    'api_version',
    'organization',
    'weight',
    'order',
    'max_parallel_requests',
    'aws_access_key_id',
    'aws_secret_access_key',
    'aws_region_name',
    'vertex_credentials',
    'vertex_location',
    ...LIMITS,
  ],
  model_info: [],
};
const PRICES = [
  'input_cost_per_token',
  'output_cost_per_token',
  'cache_read_input_token_cost',
  'cache_creation_input_token_cost',
  'input_cost_per_request',
];

export function settingsOf(document: unknown): LiteLlmSettings {
  const file = membersOf(document);
  const settings: LiteLlmSettings = { options: new Map(), left: [], notes: [] };
  const unknown = Object.keys(file).filter(
    (name) => name !== 'model_list' && !SECTIONS.some((section) => section === name),
  );
  for (const section of SECTIONS)
    for (const [name, value] of Object.entries(membersOf(file[section]))) {
      if (value === null || value === undefined || name === 'master_key') continue;
      if (!bringSetting(settings, `${section}.${name}`, name, value)) unknown.push(`${section}.${name}`);
    }
  if (unknown.length > 0)
    settings.notes.push(`Settings of LiteLLM without an equal here, not brought: ${unknown.join(', ')}`);
  noteFields(settings, Array.isArray(file['model_list']) ? file['model_list'] : []);
  return settings;
}

/** False: the name has no equal here. */
function bringSetting(settings: LiteLlmSettings, place: string, name: string, value: unknown): boolean {
  const { options, left } = settings;
  const bring = (key: SettingKey, text: string) => {
    if (!options.has(key)) options.set(key, text);
    else if (options.get(key) !== text)
      left.push({ name: place, reason: 'another section says it with another value, which is brought' });
  };
  if (name === 'num_retries') bring('RetryTimes', textOf(value));
  // Unsupported fields are refused there unless they are dropped.
  else if (name === 'drop_params')
    bring('StrictConversionEnabled', String(textOf(value).toLowerCase() === 'false'));
  else if (name === 'routing_strategy') {
    const order = ORDERS[textOf(value)];
    if (order !== undefined) bring('ChannelOrder', order);
    else
      left.push({
        name: `${place} ${textOf(value)}`,
        reason: 'no such order of channels exists here: choose one with the setting ChannelOrder',
      });
  } else if (FALLBACKS.some((known) => known === name))
    left.push({ name: `${place} ${fallbackText(value)}`, reason: FALLBACK_REASON });
  else return false;
  return true;
}

/** `gpt-4o → claude, gemini; …` */
function fallbackText(value: unknown): string {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list
    .flatMap((each) =>
      typeof each === 'object' && each !== null
        ? Object.entries(each).map(([from, to]) => `${from} → ${namesOf(to)}`)
        : [textOf(each)],
    )
    .join('; ');
}

const namesOf = (value: unknown): string =>
  Array.isArray(value) ? value.map((each) => textOf(each)).join(', ') : textOf(value);

/** One line for each field, with all models that have it. */
function noteFields({ notes }: LiteLlmSettings, list: readonly unknown[]): void {
  const limited: string[] = [];
  const fields = new Map<string, Set<string>>();
  for (const [index, item] of list.entries()) {
    const entry = membersOf(item);
    const model = textOf(entry['model_name']) || `entry ${index + 1}`;
    const limits = { ...membersOf(entry['litellm_params']), ...present(entry) };
    for (const name of LIMITS)
      if (limits[name] !== undefined && limits[name] !== null)
        limited.push(`${model} (${name} ${textOf(limits[name])})`);
    for (const [part, read] of Object.entries(READ))
      for (const name of Object.keys(present(part === '' ? entry : membersOf(entry[part]))))
        if (!read.includes(name) && (part === '' || !PRICES.includes(name))) {
          const place = part === '' ? name : `${part}.${name}`;
          fields.set(place, (fields.get(place) ?? new Set()).add(model));
        }
  }
  if (limited.length > 0) notes.push(`Not brought, ${LIMIT_REASON}: ${limited.join(', ')}`);
  for (const [place, models] of fields)
    notes.push(`The field ${place} has no equal here, not brought: ${[...models].join(', ')}`);
}

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const present = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
