/** The values of the form, their problems, and the request body; without React, for unit tests. */
import {
  isJsonObject,
  PRIORITY_MAX,
  PRIORITY_MIN,
  WEIGHT_MAX,
  type ChannelType,
  type ChannelView,
} from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { baseOf } from '#web/ui/conflict/save-on-base.ts';
import { splitList } from '#web/features/channels/list/rows.ts';

export interface ChannelFormValues {
  type: number;
  name: string;
  key: string;
  base_url: string;
  other: string;
  openai_organization: string;
  models: readonly string[];
  groups: readonly string[];
  model_mapping: string;
  tag: string;
  priority: number;
  weight: number;
  auto_ban: boolean;
  test_model: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  header_override: string;
  max_concurrency: number;
  supplier_id: number;
  /** JSON text; empty: that of the supplier. */
  buy_price: string;
}

export type FieldName = keyof ChannelFormValues;
export type Problem =
  | 'nameRequired'
  | 'keyRequired'
  | 'keyNotJson'
  | 'baseUrlRequired'
  | 'otherRequired'
  | 'modelsRequired'
  | 'groupsRequired'
  | 'mappingNotJson'
  | 'notJson';
export type Problems = Partial<Record<FieldName, Problem>>;

const NEW_CHANNEL: ChannelFormValues = {
  type: CHANNEL_TYPE.openAi,
  name: '',
  key: '',
  base_url: '',
  other: '',
  openai_organization: '',
  models: [],
  groups: ['default'],
  model_mapping: '',
  tag: '',
  priority: 0,
  weight: 0,
  auto_ban: true,
  test_model: '',
  status_code_mapping: '',
  setting: '',
  param_override: '',
  header_override: '',
  max_concurrency: 0,
  supplier_id: 0,
  buy_price: '',
};

export function formValues(channel?: ChannelView): ChannelFormValues {
  if (!channel) return NEW_CHANNEL;
  return {
    type: channel.type,
    name: channel.name,
    key: '',
    base_url: channel.base_url,
    other: channel.other,
    openai_organization: channel.openai_organization,
    models: splitList(channel.models),
    groups: splitList(channel.group),
    model_mapping: channel.model_mapping,
    tag: channel.tag ?? '',
    priority: channel.priority,
    weight: channel.weight,
    auto_ban: channel.auto_ban === 1,
    test_model: channel.test_model,
    status_code_mapping: channel.status_code_mapping,
    setting: channel.setting,
    param_override: channel.param_override,
    header_override: channel.header_override,
    max_concurrency: channel.max_concurrency,
    supplier_id: channel.supplier_id,
    buy_price: channel.buy_price,
  };
}

/** Parsed as an integer and clamped; undefined when it is not a number. */
export function parsePriority(text: string): number | undefined {
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? undefined : Math.min(PRIORITY_MAX, Math.max(PRIORITY_MIN, value));
}

/** Below 0 becomes 0. */
export function parseWeight(text: string): number | undefined {
  const value = Number.parseInt(text, 10);
  return Number.isNaN(value) ? undefined : Math.min(WEIGHT_MAX, Math.max(0, value));
}

const same = (left: unknown, right: unknown) =>
  Array.isArray(left) && Array.isArray(right) ? left.join('\n') === right.join('\n') : left === right;

export function changedFields(values: ChannelFormValues, initial: ChannelFormValues): FieldName[] {
  return (Object.keys(initial) as FieldName[]).filter((name) => !same(values[name], initial[name]));
}

const JSON_FIELDS = [
  'status_code_mapping',
  'setting',
  'param_override',
  'header_override',
  'buy_price',
] as const;

const isBlank = (text: string) => text.trim() === '';
const isNotJson = (text: string) => !isBlank(text) && !isJsonObject(text);

export function problemsOf(
  values: ChannelFormValues,
  type: ChannelType | undefined,
  isNew: boolean,
): Problems {
  const problems: Problems = {};
  if (isBlank(values.name)) problems.name = 'nameRequired';
  if (isNew && isBlank(values.key)) problems.key = 'keyRequired';
  if (type?.key_is_json && isNotJson(values.key)) problems.key = 'keyNotJson';
  if (type?.base_url_required && isBlank(values.base_url)) problems.base_url = 'baseUrlRequired';
  if (type?.other_required && isBlank(values.other)) problems.other = 'otherRequired';
  if (values.models.length === 0) problems.models = 'modelsRequired';
  if (values.groups.length === 0) problems.groups = 'groupsRequired';
  if (isNotJson(values.model_mapping)) problems.model_mapping = 'mappingNotJson';
  for (const name of JSON_FIELDS) if (isNotJson(values[name])) problems[name] = 'notJson';
  return problems;
}

/** As the API takes it. */
export function bodyOf(values: ChannelFormValues) {
  const { models, groups, tag, auto_ban, key: _key, ...rest } = values;
  return {
    ...rest,
    name: values.name.trim(),
    models: models.join(','),
    groups: groups.join(','),
    tag: tag.trim() === '' ? null : tag.trim(),
    auto_ban: auto_ban ? (1 as const) : (0 as const),
  };
}

export function createBody(values: ChannelFormValues) {
  return { ...bodyOf(values), key: values.key };
}

/** Only what changed, so that two operators editing different fields do not undo each other. */
export function changeBody(values: ChannelFormValues, initial: ChannelFormValues, id: number) {
  const body = createBody(values);
  const changed = changedFields(values, initial);
  const sent = Object.entries(body).filter(([name]) => changed.includes(name as FieldName));
  return { ...(Object.fromEntries(sent) as Partial<typeof body>), id };
}

/** What the fields were loaded with; the base of the key is its last characters. */
export function baseBody(
  channel: ChannelView,
  { initial, base }: Record<'initial' | 'base', ChannelFormValues>,
) {
  return {
    ...baseOf({
      view: { ...channel, groups: channel.group },
      initial: bodyOf(initial),
      base: bodyOf(base),
    }),
    key: channel.key_hint,
  };
}

/** The fields that calls to the upstream need before the channel is saved. */
export function draftBody(values: ChannelFormValues, id: number | undefined) {
  return {
    id,
    type: values.type,
    base_url: values.base_url,
    key: values.key,
    other: values.other,
    openai_organization: values.openai_organization,
    header_override: isJsonObject(values.header_override) ? values.header_override : '',
    setting: isJsonObject(values.setting) ? values.setting : '',
  };
}

export interface KeyLines {
  keys: number;
  duplicates: number;
}

/** One key per line; blank lines do not count. */
export function keyLines(text: string): KeyLines {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const keys = new Set(lines).size;
  return { keys, duplicates: lines.length - keys };
}
