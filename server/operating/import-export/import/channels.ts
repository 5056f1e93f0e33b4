// Channels with their keys, models, mappings, tags, priorities and settings. A channel with several keys becomes one channel
// per key, as creating it here does.
import {
  CHANNEL_STATUS,
  isJsonObject,
  PRIORITY_MAX,
  PRIORITY_MIN,
  WEIGHT_MAX,
} from '#contract/relay/channel-fields.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { changeChannels, insertChannels } from '#server/relay/channel-choice/write.ts';
import { channelTypes } from '#server/admin/channels/types.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import type { Fields } from '#server/operating/import-export/source/fields.ts';
import { oneApiType } from './channel-types.ts';
import { checkChannel } from './checks.ts';
import { amountOf, bringTable, type Job } from './job.ts';

const NAME_MOST = 100;
const TAG_MOST = 64;

export async function bringChannels(job: Job): Promise<void> {
  const { report } = job;
  await bringTable(job, 'channels', 'channels', async (fields, sourceId) => {
    const name = fields.text('name') || `channel ${sourceId}`;
    const target = typeOf(job, fields.integer('type'));
    if (target === undefined)
      return report.leave('channels', `type ${fields.integer('type')} is not known here`, name);
    if (!channelTypes.some(({ type, is_ready }) => type === target.type && is_ready))
      report.note(`Channels of type ${target.type} are kept, but cannot be called by this version.`);
    const read = channelColumns(job, fields, { name, ...target });
    if (read.models === '') return report.leave('channels', 'has no models', name);
    const keys = keysOf(fields, target.type);
    const columns = await checkChannel(
      report,
      read,
      keys.map(({ key }) => key),
    );
    if (keys.length > 1) report.note(`Channel ${name} has ${keys.length} keys: one channel for each.`);
    return async (transaction) => {
      const rows = await insertChannels(
        job.store,
        transaction,
        columns,
        keys.length > 0 ? keys.map(({ key }) => key) : [''],
      );
      const unused = rows.filter((_, index) => keys[index]?.isDisabled === true).map(({ id }) => id);
      if (unused.length > 0)
        await changeChannels(transaction, (builder) => builder('id', 'in', unused), {
          status: CHANNEL_STATUS.disabled,
        });
      return rows[0]?.id ?? 0;
    };
  });
}

function typeOf({ family }: Job, type: number): { type: number; baseUrl?: string } | undefined {
  const target = family === 'one-api' ? oneApiType(type) : { type };
  return channelTypes.some((known) => known.type === target?.type) ? target : undefined;
}

function channelColumns(
  job: Job,
  fields: Fields,
  { name, type, baseUrl = '' }: { name: string; type: number; baseUrl?: string },
): NewRow<'channels'> {
  const status = fields.integer('status', CHANNEL_STATUS.enabled);
  const isKnown = Object.values(CHANNEL_STATUS).some((known) => known === status);
  const json = (column: string) => jsonOf(job, fields, column, name);
  const limited = (column: string, least: number, most: number) => {
    const value = fields.integer(column);
    const within = Math.min(most, Math.max(least, value));
    if (within !== value) job.report.note(`Channel ${name}: ${column} ${value} is brought as ${within}.`);
    return within;
  };
  return {
    name: Array.from(name).slice(0, NAME_MOST).join(''),
    type,
    base_url: (fields.text('base_url') || baseUrl).replace(/\/+$/, ''),
    other: otherOf(fields, type),
    models: listOf(fields.text('models')),
    group: listOf(fields.text('group')) || 'default',
    model_mapping: json('model_mapping'),
    tag: Array.from(fields.text('tag')).slice(0, TAG_MOST).join('') || null,
    priority: limited('priority', PRIORITY_MIN, PRIORITY_MAX),
    weight: limited('weight', 0, WEIGHT_MAX),
    setting: settingOf(job, fields, name),
    openai_organization: fields.text('open_ai_organization'),
    test_model: fields.text('test_model'),
    auto_ban: fields.text('auto_ban') === '0' ? 0 : 1,
    status_code_mapping: json('status_code_mapping'),
    param_override: json('param_override'),
    header_override: json('header_override'),
    status: isKnown ? status : CHANNEL_STATUS.disabled,
    response_time: Math.max(0, fields.integer('response_time')),
    used_quota: amountOf(job, fields, 'used_quota'),
    balance: fields.decimal('balance'),
    balance_updated_time: fields.seconds('balance_updated_time'),
    test_time: fields.seconds('test_time'),
    created_time: fields.seconds('created_time'),
    other_info: isJsonObject(fields.text('other_info')) ? fields.text('other_info') : '',
    deleted_at: null,
  };
}

const listOf = (text: string): string =>
  [...new Set(text.split(',').map((each) => each.trim()))].filter(Boolean).join(',');

/** Text that is not a JSON object would make the channel unusable: it is left out and reported. */
function jsonOf({ report }: Job, fields: Fields, column: string, name: string): string {
  const text = fields.text(column);
  if (text === '' || text === '{}' || isJsonObject(text)) return text === '{}' ? '' : text;
  report.conflict(`channel ${name}: ${column} is not a JSON object, brought without it`);
  return '';
}

/** one-api stores the system prompt in the column `system_prompt`, new-api in `setting`. */
function settingOf(job: Job, fields: Fields, name: string): string {
  const setting = jsonOf(job, fields, 'setting', name);
  const prompt = fields.text('system_prompt');
  if (prompt === '') return setting;
  return JSON.stringify({
    ...(setting === '' ? {} : (JSON.parse(setting) as object)),
    system_prompt: prompt,
  });
}

/** Region, version or library: of new-api in `other`, of one-api in `config`. */
function otherOf(fields: Fields, type: number): string {
  const config = fields.json('config');
  const names: Partial<Record<number, string>> = {
    [CHANNEL_TYPE.azure]: 'api_version',
    [CHANNEL_TYPE.vertex]: 'region',
    [CHANNEL_TYPE.aiProxyLibrary]: 'library_id',
    [CHANNEL_TYPE.ali]: 'plugin',
    [CHANNEL_TYPE.cloudflare]: 'user_id',
    [CHANNEL_TYPE.coze]: 'user_id',
  };
  const value = config[names[type] ?? ''];
  return fields.text('other') || (typeof value === 'string' ? value : '');
}

interface ChannelKey {
  key: string;
  isDisabled: boolean;
}

function keysOf(fields: Fields, type: number): ChannelKey[] {
  const config = fields.json('config');
  const text = fields.text('key');
  const parts = ['ak', 'sk', 'region'].map((name) => config[name]);
  if (type === CHANNEL_TYPE.bedrock && parts.every((part) => typeof part === 'string' && part !== ''))
    return [{ key: parts.join('|'), isDisabled: false }];
  if (
    type === CHANNEL_TYPE.vertex &&
    typeof config['vertex_ai_adc'] === 'string' &&
    config['vertex_ai_adc'] !== ''
  )
    return [{ key: config['vertex_ai_adc'], isDisabled: false }];
  const isJson = channelTypes.find((each) => each.type === type)?.key_is_json ?? false;
  const keys = isJson
    ? jsonKeys(text)
    : text
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(Boolean);
  const states = fields.json('channel_info')['multi_key_status_list'];
  const statusOf = (index: number): unknown =>
    typeof states === 'object' && states !== null
      ? (states as Record<string, unknown>)[String(index)]
      : undefined;
  return keys
    .map((key, index) => ({
      key,
      isDisabled: Number(statusOf(index) ?? CHANNEL_STATUS.enabled) !== CHANNEL_STATUS.enabled,
    }))
    .filter(({ key }, index) => keys.indexOf(key) === index);
}

/** Several credentials are a JSON list, or objects one after the other. */
function jsonKeys(text: string): string[] {
  if (!text.startsWith('[')) return text === '' ? [] : [text];
  try {
    const list = JSON.parse(text) as unknown[];
    return list.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  } catch {
    return [text];
  }
}
