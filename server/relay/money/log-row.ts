// The log row of a call: everything needed to recompute its charge by hand, who called what and when, and, for
// administrators, the attempts.
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import type { HedgeRefusal } from '#contract/relay/hedging.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { HoldSnapshot, LogRow } from '#server/money/ledger/ledger.ts';
import type { CacheSaving } from '#server/money/prices/cache-saving.ts';
import { piecePrice, type PriceSnapshot } from '#server/money/prices/price.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import { tierAt, tierNumber } from '#server/money/prices/tiers.ts';
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { KeptRecord } from '#server/relay/channel-choice/why-kept.ts';
import { keptField, savingFields } from './admin-fields.ts';

export const LOG_TYPE = { consume: 2, error: 5 } as const;

export interface Attempt {
  channel: number;
  /** Of a call of a virtual model: the one that was tried. */
  model?: string;
  /** HTTP status, or 0 when no answer came. */
  status: number;
  milliseconds: number;
  /** Why it failed, for operators; undefined while it has not. An attempt can fail after a 200. */
  error?: string;
  /** It was ended because another attempt at the same time was quicker. */
  lost?: true;
}

/** What was decided when the first token of an attempt was late. */
export interface HedgeRecord {
  /** Milliseconds. */
  readonly after: number;
  /** Of the second attempt. */
  readonly channel?: number;
  /** Why there was none. */
  readonly refused?: HedgeRefusal;
}

/** A target of a virtual model that was considered before the one that answered, and why it did not answer. */
export interface RouteStep {
  readonly model: string;
  readonly why: string;
}

/** Of a call of a virtual model. */
export interface RouteRecord {
  readonly asked: string;
  /** The model that the call is sent to; the last one answered. */
  served: string;
  readonly steps: RouteStep[];
}

export interface CallRecord {
  caller: Caller;
  /** That the call is priced as. */
  model: string;
  upstreamModel: string;
  channelId: number;
  channelName: string;
  address: string;
  path: string;
  isStream: boolean;
  isWebSocket: boolean;
  reasoningEffort: string;
  attempts: readonly Attempt[];
  /** The conversion receipt as JSON; empty without changes. */
  conversion?: string;
  /** The limit of each answer, where it was lowered to what could be paid. */
  outputLimit?: number;
  /** The caller's `traceparent` header, when traces are sent. */
  trace?: string | undefined;
  /** What the price was chosen by. */
  began?: Moment;
  /** Those that the organization keeps, as JSON. */
  tags?: string;
  route?: RouteRecord;
  hedge?: HedgeRecord;
  /** Undefined where the model has one channel, or the setting is off. */
  kept?: KeptRecord | undefined;
  hit?: HitRecord;
}

/** Of a call that was answered with a cached answer. */
export interface HitRecord {
  /** Seconds since the answer was kept. */
  readonly age: number;
  /** Of the entry. */
  readonly key: string;
  /** Quota units that the same answer would have cost more, had it come anew. */
  readonly saved: number;
}

/** The model that channels were asked for: not the virtual one, where that has a price of its own. */
export const servedModel = ({ model, route }: Pick<CallRecord, 'model' | 'route'>): string =>
  route === undefined ? model : route.served;

/** The snapshot the ledger stores with the hold. */
export class CallSnapshot implements HoldSnapshot {
  readonly price: PriceSnapshot;
  readonly #record: CallRecord;

  constructor(price: PriceSnapshot, record: CallRecord) {
    this.price = price;
    this.#record = record;
  }

  log(): LogRow {
    return baseRow(this.#record);
  }
}

/** The row as known when the call begins; recovery writes it after a crash. */
export function baseRow(record: CallRecord): LogRow {
  const { caller } = record;
  const { organization } = caller;
  return {
    type: LOG_TYPE.consume,
    user_id: caller.userId,
    username: caller.username,
    token_id: caller.tokenId,
    token_name: caller.tokenName,
    model_name: record.model,
    upstream_model: record.upstreamModel,
    channel_id: record.channelId,
    channel_name: record.channelName,
    group: caller.group,
    prompt_tokens: 0,
    completion_tokens: 0,
    use_time: 0,
    is_stream: record.isStream ? 1 : 0,
    estimated: 0,
    ip: record.address,
    content: '',
    other: '',
    member_id: organization?.memberId ?? 0,
    project_id: organization?.projectId ?? 0,
    service_account_id: organization?.serviceAccountId ?? 0,
    tags: record.tags ?? '',
  };
}

export interface Consumption {
  usage: Usage;
  price: PriceSnapshot;
  estimated: boolean;
  useTimeMilliseconds: number;
  /** Undefined for answers that are not streams. */
  firstTokenMilliseconds: number | undefined;
  /** Empty for an ordinary end. */
  ending: string;
  /** Counts of the upstream's report that were not believed. */
  doubts?: readonly UsageDoubt[];
  /** Of a call that read or wrote a cache of its prompt. */
  cacheSaving?: CacheSaving | undefined;
}

export function consumeRow(record: CallRecord, consumption: Consumption): LogRow {
  const { usage, useTimeMilliseconds, estimated } = consumption;
  const row = baseRow(record);
  row.prompt_tokens = promptTokens(usage);
  row.completion_tokens = completionTokens(usage);
  row.use_time = Math.round(useTimeMilliseconds / 1000);
  row.estimated = estimated ? 1 : 0;
  row.other = otherText(record, consumption);
  return row;
}

export function errorRow(record: CallRecord, content: string, useTimeMilliseconds: number): LogRow {
  const other = `{"path":${JSON.stringify(record.path)}${routeFields(record)},"admin_info":${adminInfo(record)}}`;
  const use_time = Math.round(useTimeMilliseconds / 1000);
  return { ...baseRow(record), type: LOG_TYPE.error, use_time, content, other };
}

/** Ratio fields under the names existing clients expect; built once per price. */
const beginnings = new WeakMap<PriceSnapshot, Map<string, string>>();

/** The part of `other` shared by all calls of one price and path, without the closing brace. */
function beginningOf(price: PriceSnapshot, path: string): string {
  let known = beginnings.get(price);
  if (known === undefined) beginnings.set(price, (known = new Map()));
  let text = known.get(path);
  if (text === undefined) {
    const fields =
      price.kind === 'price'
        ? { model_ratio: 0, model_price: price.modelPrice, completion_ratio: 0 }
        : {
            model_ratio: price.modelRatio,
            model_price: -1,
            completion_ratio: price.completionRatio,
            cache_ratio: price.cacheRatio,
            cache_creation_ratio: price.cacheWriteRatio,
            cache_creation_1h_ratio: price.cacheWrite1hRatio,
            image_ratio: price.imageRatio,
            audio_ratio: price.audioRatio,
            audio_completion_ratio: price.audioCompletionRatio,
            reasoning_ratio: price.reasoningRatio,
          };
    const all = {
      ...fields,
      group_ratio: price.groupRatio,
      ...(price.batchRatio === undefined ? {} : { batch_ratio: price.batchRatio }),
      ...(price.classRatio === undefined ? {} : { class_ratio: price.classRatio }),
      ...(price.hourRatio === undefined ? {} : { hour_ratio: price.hourRatio }),
      ...(price.hitRatio === undefined ? {} : { hit_ratio: price.hitRatio }),
      ...(price.minimum === undefined ? {} : { minimum_price: price.minimum }),
      quota_per_unit: price.quotaPerUnit,
      price_source: price.source,
      ...(price.priceVersion === undefined ? {} : { price_version: price.priceVersion }),
      path,
    };
    text = JSON.stringify(all).slice(0, -1);
    known.set(path, text);
  }
  return text;
}

function otherText(record: CallRecord, consumption: Consumption): string {
  const { usage, price, useTimeMilliseconds, firstTokenMilliseconds, ending, doubts = [] } = consumption;
  const firstToken = firstTokenMilliseconds === undefined ? -1000 : Math.round(firstTokenMilliseconds);
  // Milliseconds for percentiles; the column has whole seconds.
  const useTime = Math.round(useTimeMilliseconds);
  let text = `${beginningOf(price, record.path)},"frt":${firstToken},"use_ms":${useTime}${usageFields(usage)}${pieceFields(price, usage)}`;
  if (usage.audioInput > 0 || usage.audioOutput > 0) {
    text += `,"audio":true,"audio_input":${usage.audioInput},"audio_output":${usage.audioOutput}`;
    text += `,"text_input":${promptTokens(usage) - usage.audioInput},"text_output":${usage.output + usage.reasoning}`;
  }
  text += ruleFields(record, price, usage);
  if (record.isWebSocket) text += ',"ws":true';
  if (record.reasoningEffort !== '') text += `,"reasoning_effort":${JSON.stringify(record.reasoningEffort)}`;
  if (record.conversion !== undefined && record.conversion !== '')
    text += `,"conversion":${record.conversion}`;
  if (record.outputLimit !== undefined) text += `,"output_limit":${record.outputLimit}`;
  if (doubts.length > 0) text += `,"doubts":${JSON.stringify(doubts)}`;
  if (ending !== '') text += `,"ending":${JSON.stringify(ending)}`;
  if (record.route !== undefined) text += routeFields(record);
  if (record.hit !== undefined) text += `,"answer_cache":${JSON.stringify(record.hit)}`;
  return `${text},"admin_info":${adminInfo(record, consumption.cacheSaving)}}`;
}

/** The tier and the moment that the price was chosen by, as far as they matter. */
function ruleFields({ began }: CallRecord, price: PriceSnapshot, usage: Usage): string {
  let text = '';
  const tier = tierAt(price, tierNumber(price, usage));
  if (tier !== undefined) text += `,"tier":${JSON.stringify(tier)}`;
  if (began === undefined) return text;
  if (price.hourRatio !== undefined) text += `,"began_at":${Math.floor(began.at / 1000)}`;
  const { requestClass } = began;
  if (requestClass !== undefined && requestClass !== 'batch') text += `,"request_class":"${requestClass}"`;
  return text;
}

/** The non-zero token classes, fixed-price pieces and surcharges. */
function usageFields(usage: Usage): string {
  const { pieces, surcharges } = usage;
  let classes = '';
  for (const name of TOKEN_CLASSES) {
    if (usage[name] > 0)
      classes = classes === '' ? `"${name}":${usage[name]}` : `${classes},"${name}":${usage[name]}`;
  }
  let text = `,"usage":{${classes}}`;
  if (pieces !== 1) text += `,"pieces":${pieces}`;
  if (surcharges.length > 0) text += `,"surcharges":${JSON.stringify(surcharges)}`;
  return text;
}

/** What a fixed price was for, where it is not one call: seconds, and the price of the resolution. */
function pieceFields(price: PriceSnapshot, { resolution }: Usage): string {
  if (price.kind !== 'price') return '';
  const unit = price.unit === undefined ? '' : `,"price_unit":"${price.unit}"`;
  if (resolution === undefined || resolution === '') return unit;
  const dollars = piecePrice(price, resolution);
  const own = dollars === price.modelPrice ? '' : `,"resolution_price":${dollars}`;
  return `${unit},"resolution":${JSON.stringify(resolution)}${own}`;
}

/** Which name the caller asked for, and which model answered or was tried last. */
function routeFields({ route }: CallRecord): string {
  if (route === undefined) return '';
  return `,"asked_model":${JSON.stringify(route.asked)},"answered_model":${JSON.stringify(route.served)}`;
}

function adminInfo({ attempts, route, hedge, kept }: CallRecord, saving?: CacheSaving): string {
  let ids = '';
  let details = '';
  for (const { channel, model, status, milliseconds, error, lost } of attempts) {
    const why = error === undefined ? '' : `,"error":${JSON.stringify(error)}`;
    const what = model === undefined ? '' : `,"model":${JSON.stringify(model)}`;
    const ended = lost === true ? ',"lost":true' : '';
    const detail = `{"channel":${channel}${what},"status":${status},"milliseconds":${milliseconds}${ended}${why}}`;
    ids = ids === '' ? `"${channel}"` : `${ids},"${channel}"`;
    details = details === '' ? detail : `${details},${detail}`;
  }
  const steps = route === undefined ? '' : `,"route":${JSON.stringify(route.steps)}`;
  const hedged = hedge === undefined ? '' : `,"hedge":${JSON.stringify(hedge)}`;
  return `{"use_channel":[${ids}],"attempts":[${details}]${steps}${hedged}${keptField(kept)}${savingFields(saving)}}`;
}
