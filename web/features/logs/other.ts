/** Charge and attempts of a row. Parsed tolerantly: old rows have other fields. */
import type { LogView } from '#contract/admin/logs.ts';
import { TOKEN_CLASSES, type TokenClass } from '#contract/money/token-classes.ts';
import { DOUBTED_COUNTS, type UsageDoubt } from '#contract/money/usage-doubt.ts';
import { hedgeOf, type HedgeDetails } from './hedge.ts';
import { keptOf, type KeptDetails } from './kept.ts';
import { routeOf, type VirtualRoute } from './route.ts';

export interface Attempt {
  channel: number;
  /** 0: no answer. */
  status: number;
  milliseconds: number;
  /** Why it failed, in the upstream's words; empty when it did not. */
  error: string;
  /** It was ended because another attempt at the same time was quicker. */
  lost?: boolean;
}

export interface RefusedDetails {
  code: string;
  /** How many calls the row stands for. */
  count: number;
  /** The first of them. */
  requestIds: string[];
  /** False: the wanted request is one of the calls that are counted, but not listed. */
  isListed: boolean;
}

export type CallFactor = 'batch' | 'flex' | 'priority' | 'hour' | 'hit';

/** Factors of the prices of a long prompt. */
export interface PriceTier {
  above: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What a run of re-rating made of the charge; `note` is the key of its ledger row. */
export interface Correction {
  run: number;
  note: string;
  from: number;
  to: number;
  isUndo: boolean;
}

/** A cached answer: its age in seconds, and quota units that it cost less than a new one. */
export interface HitDetails {
  age: number;
  saved: number;
}

export interface LogDetails {
  /** Dollars for one piece; undefined when tokens are priced. */
  modelPrice: number | undefined;
  modelRatio: number;
  groupRatio: number;
  /** What else multiplies the whole charge: a batch, the class of the request, the hour. */
  factors: { name: CallFactor; value: number }[];
  /** The length of the prompt that changed the prices, and by how much. */
  tier: PriceTier | undefined;
  /** Dollars that the call cost at least. */
  minimumPrice: number | undefined;
  /** 0: from before prices had versions. */
  priceVersion: number;
  quotaPerUnit: number | undefined;
  /** Relative to an input token: the product of these. */
  ratios: Record<TokenClass, readonly number[]>;
  usage: Partial<Record<TokenClass, number>>;
  pieces: number;
  /** Of a video: `pieces` are its seconds. */
  bySecond: boolean;
  resolution: string;
  surcharges: { name: string; count: number; dollarsEach: number }[];
  firstTokenMilliseconds: number | undefined;
  /** Undefined for rows from before it was kept: they have whole seconds. */
  durationMilliseconds: number | undefined;
  path: string;
  /** The task that was charged or failed; blank for other calls. */
  taskId: string;
  reasoningEffort: string;
  isWebSocket: boolean;
  /** Tokens; 0: the limit of the answer was not lowered. */
  outputLimit: number;
  ending: string;
  priceSource: string;
  /** Undefined for a call of a plain model. */
  route: VirtualRoute | undefined;
  /** Only for administrators. */
  attempts: Attempt[] | undefined;
  channels: string[] | undefined;
  hedge: HedgeDetails | undefined;
  /** Of a call that was answered with a cached answer. */
  hit: HitDetails | undefined;
  kept: KeptDetails | undefined;
  /** What a subscription paid of the charge; undefined when the balance paid all. */
  plan: { subscription: number; quota: number } | undefined;
  /** By re-rating, oldest first. */
  corrections: Correction[];
  /** Counts of the upstream's report that were not believed. */
  doubts: UsageDoubt[];
  /** Of a row of refused calls. */
  refused: RefusedDetails | undefined;
  /** False: the row carries no price (an event, or a call from before a price was kept). */
  hasPrice: boolean;
}

type Loose = Record<string, unknown>;

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(other: string): Loose {
  try {
    const value: unknown = JSON.parse(other);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const number = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export function detailsOf(row: Pick<LogView, 'other' | 'prompt_tokens' | 'completion_tokens'>): LogDetails {
  const other = parsed(row.other);
  const price = number(other['resolution_price'], number(other['model_price'], -1));
  const completion = number(other['completion_ratio'], 1);
  const audio = number(other['audio_ratio'], 1);
  const firstToken = number(other['frt'], -1);
  const duration = number(other['use_ms'], -1);
  const perUnit = number(other['quota_per_unit'], 0);
  return {
    modelPrice: price >= 0 ? price : undefined,
    modelRatio: number(other['model_ratio'], 0),
    groupRatio: number(other['group_ratio'], 1),
    factors: factorsOf(other),
    tier: tierOf(other['tier']),
    minimumPrice: typeof other['minimum_price'] === 'number' ? other['minimum_price'] : undefined,
    priceVersion: number(other['price_version'], 0),
    quotaPerUnit: perUnit > 0 ? perUnit : undefined,
    ratios: {
      input: [],
      cacheRead: [number(other['cache_ratio'], 1)],
      cacheWrite5m: [number(other['cache_creation_ratio'], 1)],
      cacheWrite1h: [number(other['cache_creation_1h_ratio'], 1)],
      imageInput: [number(other['image_ratio'], 1)],
      audioInput: [audio],
      output: [completion],
      reasoning: [number(other['reasoning_ratio'], completion)],
      audioOutput: [audio, number(other['audio_completion_ratio'], 1)],
    },
    usage: usageOf(other, row),
    pieces: number(other['pieces'], 1),
    bySecond: other['price_unit'] === 'second',
    resolution: text(other['resolution']),
    surcharges: surchargesOf(other['surcharges']),
    firstTokenMilliseconds: firstToken >= 0 ? firstToken : undefined,
    durationMilliseconds: duration >= 0 ? duration : undefined,
    path: text(other['path']),
    taskId: text(other['task_id']),
    reasoningEffort: text(other['reasoning_effort']),
    isWebSocket: other['ws'] === true,
    outputLimit: number(other['output_limit'], 0),
    ending: text(other['ending']),
    priceSource: text(other['price_source']),
    route: routeOf(other),
    plan: planOf(other['plan']),
    hit: hitOf(other['answer_cache']),
    corrections: correctionsOf(other['rerated']),
    doubts: doubtsOf(other['doubts']),
    refused: refusedOf(other['refused']),
    ...attemptsOf(other['admin_info']),
    hasPrice: 'model_ratio' in other || 'model_price' in other,
  };
}

function correctionsOf(value: unknown): Correction[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((each) => ({
    run: number(each['run'], 0),
    note: text(each['note']),
    from: number(each['from'], 0),
    to: number(each['to'], 0),
    isUndo: each['undo'] === true,
  }));
}

function doubtsOf(value: unknown): UsageDoubt[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).flatMap((each) => {
    const count = DOUBTED_COUNTS.find((known) => known === each['count']);
    if (count === undefined) return [];
    return [{ count, reported: number(each['reported'], 0), charged: number(each['charged'], 0) }];
  });
}

function factorsOf(other: Loose): LogDetails['factors'] {
  const requestClass = other['request_class'] === 'priority' ? 'priority' : 'flex';
  const named = [
    ['batch', other['batch_ratio']],
    [requestClass, other['class_ratio']],
    ['hour', other['hour_ratio']],
    ['hit', other['hit_ratio']],
  ] as const;
  return named.flatMap(([name, value]) => (typeof value === 'number' ? [{ name, value }] : []));
}

function tierOf(value: unknown): PriceTier | undefined {
  if (!isObject(value)) return undefined;
  const input = number(value['input'], 1);
  return {
    above: number(value['above'], 0),
    input,
    output: number(value['output'], 1),
    cacheRead: number(value['cacheRead'], input),
    cacheWrite: number(value['cacheWrite'], input),
  };
}

/** By class; imported rows have text and audio, or only input and output. */
function usageOf(other: Loose, row: Pick<LogView, 'prompt_tokens' | 'completion_tokens'>) {
  const usage: LogDetails['usage'] = {};
  if (isObject(other['usage'])) {
    for (const name of TOKEN_CLASSES) {
      const count = number(other['usage'][name], 0);
      if (count > 0) usage[name] = count;
    }
    return usage;
  }
  if (other['audio'] === true || other['ws'] === true) {
    return {
      input: number(other['text_input'], 0),
      audioInput: number(other['audio_input'], 0),
      output: number(other['text_output'], 0),
      audioOutput: number(other['audio_output'], 0),
    };
  }
  return { input: row.prompt_tokens, output: row.completion_tokens };
}

function planOf(value: unknown): LogDetails['plan'] {
  if (!isObject(value)) return undefined;
  const quota = number(value['quota'], 0);
  return quota > 0 ? { subscription: number(value['subscription'], 0), quota } : undefined;
}

function hitOf(value: unknown): HitDetails | undefined {
  return isObject(value) ? { age: number(value['age'], 0), saved: number(value['saved'], 0) } : undefined;
}

function refusedOf(value: unknown): LogDetails['refused'] {
  if (!isObject(value)) return undefined;
  const ids = Array.isArray(value['request_ids']) ? value['request_ids'] : [];
  return {
    code: text(value['code']),
    count: number(value['count'], 1),
    requestIds: ids.filter((id) => typeof id === 'string'),
    isListed: value['is_listed'] !== false,
  };
}

function surchargesOf(value: unknown): LogDetails['surcharges'] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).map((entry) => ({
    name: text(entry['name']),
    count: number(entry['count'], 0),
    dollarsEach: number(entry['dollarsEach'], 0),
  }));
}

function attemptsOf(info: unknown): Pick<LogDetails, 'attempts' | 'channels' | 'hedge' | 'kept'> {
  if (!isObject(info)) return { attempts: undefined, channels: undefined, hedge: undefined, kept: undefined };
  const channels = Array.isArray(info['use_channel'])
    ? info['use_channel'].filter((id): id is string => typeof id === 'string')
    : [];
  const attempts = Array.isArray(info['attempts'])
    ? info['attempts'].filter(isObject).map((attempt) => ({
        channel: number(attempt['channel'], 0),
        status: number(attempt['status'], 0),
        milliseconds: number(attempt['milliseconds'], 0),
        error: text(attempt['error']),
        ...(attempt['lost'] === true ? { lost: true } : {}),
      }))
    : [];
  return {
    attempts,
    channels,
    hedge: hedgeOf(info['hedge']),
    kept: keptOf(info['conversation']),
  };
}
