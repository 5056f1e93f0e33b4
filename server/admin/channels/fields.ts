// Checks the fields an operator may set on a channel and turns them into columns.
import { buyPriceFault } from '#contract/money/channel-costs.ts';
import { isJsonObject, type channelChange, type channelCreate } from '#contract/relay/channel-fields.ts';
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import type { z } from 'zod';
import type { RowChange } from '#server/platform/store/schema.ts';
import { EgressError, egressSentence, parseProxy, requireWebAddress } from '#server/platform/egress/index.ts';
import { providerOf } from '#server/models/providers/index.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { proxyOf } from './proxy.ts';

type Fields = z.output<typeof channelCreate> | z.output<typeof channelChange>;

const LONGEST_MODEL = 255;

const JSON_FIELDS = [
  'setting',
  'status_code_mapping',
  'param_override',
  'header_override',
  'buy_price',
] as const;

/** Columns of the given fields only. */
export function channelColumns(body: Fields): RowChange<'channels'> {
  if (body.model_mapping) checkMapping(body.model_mapping);
  for (const field of JSON_FIELDS) {
    const text = body[field];
    if (text && !isJsonObject(text)) throw new AppError('channel_field_not_json', { field }, { field });
  }
  if (body.status_code_mapping) checkStatuses(body.status_code_mapping);
  if (body.header_override) checkHeaders(body.header_override);
  if (body.buy_price) checkBuyPrice(body.buy_price);
  if (body.name === '') throw new AppError('channel_name_required', {}, { field: 'name' });
  if (body.models === '') throw new AppError('channel_models_required', {}, { field: 'models' });
  const long = body.models?.split(',').find((model) => model.length > LONGEST_MODEL);
  if (long !== undefined) {
    throw new AppError('channel_model_too_long', { model: `${long.slice(0, 40)}…` }, { field: 'models' });
  }
  const proxy = body.setting ? proxyOf(body.setting) : '';
  if (proxy !== '' && parseProxy(proxy) === undefined) {
    throw new AppError('channel_proxy_invalid', {}, { field: 'setting' });
  }
  const group = body.groups ?? body.group;
  if (group === '') throw new AppError('channel_groups_required', {}, { field: 'groups' });
  return defined({
    name: body.name,
    type: body.type,
    base_url: body.base_url,
    other: body.other,
    models: body.models,
    group,
    model_mapping: body.model_mapping,
    tag: body.tag === '' ? null : body.tag,
    priority: body.priority,
    weight: body.weight,
    setting: body.setting,
    openai_organization: body.openai_organization,
    test_model: body.test_model,
    auto_ban: body.auto_ban,
    status_code_mapping: body.status_code_mapping,
    param_override: body.param_override,
    header_override: body.header_override,
    max_concurrency: body.max_concurrency,
    supplier_id: body.supplier_id,
    buy_price: body.buy_price,
  });
}

const membersOf = (json: string): [string, unknown][] =>
  Object.entries(JSON.parse(json) as Record<string, unknown>);

type JsonField = 'model_mapping' | (typeof JSON_FIELDS)[number];

const refuseMember = (field: JsonField, name: string): AppError =>
  new AppError('channel_member_invalid', { field, name: name.slice(0, 40) }, { field });

/** Every name of a model is mapped to another name. */
export function checkMapping(json: string): void {
  if (!isJsonObject(json)) throw new AppError('channel_mapping_not_json', {}, { field: 'model_mapping' });
  const wrong = membersOf(json).find(([, target]) => typeof target !== 'string');
  if (wrong) throw refuseMember('model_mapping', wrong[0]);
}

const isStatus = (value: string): boolean => /^[2-5]\d\d$/.test(value);
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

function checkStatuses(json: string): void {
  for (const [from, to] of membersOf(json))
    if (!isStatus(from) || !isStatus(textOf(to) ?? '')) throw refuseMember('status_code_mapping', from);
}

/** A header that cannot be sent would make the channel unusable. */
function checkHeaders(json: string): void {
  for (const [name, value] of membersOf(json)) {
    const text = textOf(value);
    if (text === undefined || !canSend(name, text)) throw refuseMember('header_override', name);
  }
}

function checkBuyPrice(json: string): void {
  const fault = buyPriceFault(JSON.parse(json));
  if (fault !== undefined) throw refuseMember('buy_price', fault);
}

function canSend(name: string, value: string): boolean {
  try {
    void new Headers({ [name]: value });
    return !/[\r\n\0]/.test(value);
  } catch {
    return false;
  }
}

/** Checks what the type of upstream requires: a known type, an allowed address, its extra field. */
export async function checkType(
  dependencies: Pick<ChannelDependencies, 'types' | 'checkAddress'>,
  channel: { type: number; base_url: string; other: string },
  language: Language,
): Promise<void> {
  const type = dependencies.types.find((each) => each.type === channel.type);
  if (!type) throw new AppError('channel_type_unknown', { type: channel.type }, { field: 'type' });
  if (type.base_url_required && channel.base_url === '') {
    throw new AppError('channel_base_url_required', {}, { field: 'base_url' });
  }
  if (type.other_required && channel.other.trim() === '') {
    throw new AppError('channel_other_required', { label: type.other_label[language] }, { field: 'other' });
  }
  const provider = providerOf(channel.type);
  if (provider?.decidesAddress && provider.decidesAddress(channel.other) === undefined) {
    const label = type.other_label[language] || 'other';
    throw new AppError('channel_other_invalid', { label }, { field: 'other' });
  }
  if (channel.base_url === '') return;
  try {
    await dependencies.checkAddress(channel.base_url);
  } catch (error) {
    throw addressRefusal(error, language);
  }
}

/** In place of `checkAddress` where no call is made: the form alone, without looking the host up. */
export function checkAddressForm(url: string): void {
  requireWebAddress(url);
}

function addressRefusal(error: unknown, language: Language): AppError {
  if (error instanceof EgressError && error.reason === 'private_address') return privateRefusal(error);
  const detail = error instanceof EgressError ? egressSentence(error, language) : String(error);
  return new AppError('channel_base_url_invalid', { detail }, { field: 'base_url' });
}

/** The console offers the super admin to allow `private_addresses`. */
export function privateRefusal(error: EgressError, field: 'base_url' | 'setting' = 'base_url'): AppError {
  const { detail: address, allowable } = error;
  return new AppError('channel_address_private', { address }, { field, private_addresses: allowable });
}

/** One key per line, except where the key itself is JSON; without blank lines and duplicates. */
export function keysOf(
  dependencies: Pick<ChannelDependencies, 'types'>,
  type: number,
  text: string,
): string[] {
  const isJson = dependencies.types.find((each) => each.type === type)?.key_is_json ?? false;
  const keys = isJson ? [text.trim()] : text.split(/\r?\n/).map((line) => line.trim());
  const found = [...new Set(keys)].filter(Boolean);
  // A header can hold visible ASCII only: every call with such a key would fail.
  if (!isJson && found.some((key) => /[^\x21-\x7e]/.test(key))) {
    throw new AppError('channel_key_invalid', {}, { field: 'key' });
  }
  return found;
}

function defined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
