// Makes one copy: consent, a channel with a place to spare, a price, a place for the sample, the money of the day; then it is sent, its cost
// is corrected to what it was, and both answers are kept.
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';
import type { Candidate, Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { findPrice } from '#server/relay/money/admission.ts';
import type { AnswerFigures } from '#server/relay/money/call-copies.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { parseJson } from '#server/relay/request/read-body.ts';
import { readBetas } from '#server/models/providers/anthropic/betas.ts';
import { prepareJsonBody, type PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Shadow } from './book.ts';
import type { ShadowCounts } from './counts.ts';
import { giveBackPlaces, isAllowed, keepSample, LONGEST_TEXT, takePlace } from './samples.ts';
import { sendCopy, type CopyAnswer, type SentCopy } from './send.ts';
import { bookCopy, type Bought, type Spent } from './spending.ts';

/** A copy with all that is left of its call. */
export interface WaitingCopy {
  readonly shadow: Shadow;
  readonly requestId: string;
  readonly owner: { readonly userId: number; readonly memberId: number; readonly group: string };
  readonly figures: AnswerFigures;
  readonly request: {
    readonly endpoint: RelayEndpoint;
    readonly isStream: boolean;
    /** JSON. */
    readonly text: string;
    readonly headers: Pick<Headers, 'get'>;
    readonly outputLimit: number | undefined;
  };
  readonly prompt: string;
  readonly answer: string;
  readonly isCut: boolean;
}

export interface CopyParts {
  readonly core: Core;
  readonly counts: ShadowCounts;
  /** Accounts that are known not to allow it. */
  readonly unwilling: Set<number>;
  readonly running: Set<{ stop(): void }>;
}

/** A copy may be so many times as long as the answer, or as long as a short answer. */
const TIMES_THE_ANSWER = 4;
const SHORT_ANSWER_TOKENS = 4000;

export async function makeCopy(parts: CopyParts, waiting: WaitingCopy): Promise<void> {
  const { core, counts, unwilling } = parts;
  const { shadow, owner } = waiting;
  const { db } = core.store;
  if (!(await isAllowed(db, owner, core.settings.current.ShadowCallsForEveryone))) {
    unwilling.add(owner.userId);
    return;
  }
  const prepared = prepareCopy(waiting);
  if (prepared === undefined) return;
  const group = shadow.target_group === '' ? owner.group : shadow.target_group;
  const channel = spareChannel(core, group, prepared);
  if (channel === undefined) return counts.add(shadow.id, 'no_channel');
  const worth = worthOf(core, group, prepared, channel);
  const bounds = worth(mostOf(prepared));
  const expected = worth(prepared.estimate.unreported);
  if (bounds === undefined || expected === undefined) return counts.add(shadow.id, 'no_price');
  if (!(await takePlace(db, shadow.id, shadow.most_samples))) return counts.add(shadow.id, 'full');
  let isKept = false;
  try {
    isKept = await buyCopy(parts, waiting, { prepared, channel, worth, expected, most: bounds.spent });
  } finally {
    if (!isKept) await giveBackPlaces(db, shadow.id);
  }
}

/** Undefined: it cannot be sent to the other model. */
function prepareCopy({ shadow, request, figures }: WaitingCopy): PreparedCall | undefined {
  const { endpoint, isStream, headers } = request;
  try {
    const prepared = prepareJsonBody(endpoint, parseJson(request.text), {
      model: shadow.target_model,
      isStream,
      betas: readBetas(headers.get('anthropic-beta')),
    });
    const longest = Math.max(SHORT_ANSWER_TOKENS, completionTokens(figures.usage) * TIMES_THE_ANSWER);
    if (request.outputLimit === undefined || request.outputLimit > longest)
      prepared.lowerOutputLimit?.(longest);
    return prepared;
  } catch (error) {
    if (error instanceof RelayError) return undefined;
    throw error;
  }
}

const mostOf = ({ estimate, outputLimit = 0 }: PreparedCall): Usage => ({
  ...estimate.most,
  output: estimate.most.output + outputLimit,
});

/**
 * A channel that callers do not miss: it cools down for nothing, has more than one place left, at least half of its upstream's limits, and is
 * no reserve. It counts as busy by what `breaker.begin` says.
 */
function spareChannel(core: Core, group: string, prepared: PreparedCall): Channel | undefined {
  const { breaker, catalog } = core;
  const { model } = prepared;
  const isSpare = ({ channel }: Candidate): boolean => {
    const { id, maxConcurrency } = channel;
    if (maxConcurrency === 1 || breaker.isDoubted(id, model) || breaker.headroom.share(id, model) < 1)
      return false;
    return breaker.admits(id, maxConcurrency === 0 ? 0 : maxConcurrency - 1, model);
  };
  const tiers = catalog.current.tiers(group, model).map((tier) => {
    const inUse = tier.filter(({ weight }) => weight > 0);
    return (inUse.length > 0 ? inUse : tier).filter(isSpare);
  });
  const selection = selectChannel(tiers, [], breaker, prepared);
  return 'channel' in selection ? selection.channel : undefined;
}

type Worth = (usage: Usage) => Spent | undefined;

/** At the channel's buy price, and where that is unknown at the selling price; undefined: neither is known. */
function worthOf(core: Core, group: string, { model }: PreparedCall, channel: Channel): Worth {
  const bought = {
    channelId: channel.id,
    model,
    upstreamModel: mapModel(channel.modelMapping, model),
  };
  const found = findPrice(core, model, group);
  const price: PriceSnapshot | undefined = typeof found === 'object' ? found : undefined;
  return (usage) => {
    const cost = core.costs.costOf(bought, usage);
    if (cost !== null) return { cost, spent: cost };
    return price && { cost, spent: cappedChargeOf(price, withFees(price, usage)) };
  };
}

interface Purchase {
  readonly prepared: PreparedCall;
  readonly channel: Channel;
  readonly worth: Worth;
  readonly expected: Spent;
  readonly most: number;
}

/** Whether a sample was kept. */
async function buyCopy(
  parts: CopyParts,
  waiting: WaitingCopy,
  { prepared, channel, worth, expected, most }: Purchase,
): Promise<boolean> {
  const { core, counts, running } = parts;
  const { shadow, owner, request } = waiting;
  const bought: Bought = {
    channelId: channel.id,
    model: prepared.model,
    group: owner.group,
    userId: owner.userId,
  };
  const booking = await bookCopy(core, shadow, bought, { expected, most });
  if (booking === undefined) {
    counts.add(shadow.id, 'money');
    return false;
  }
  const copy: SentCopy = {
    requestId: Bun.randomUUIDv7(),
    prepared,
    request,
    record: { upstreamModel: prepared.model, conversion: undefined },
    hasLeft: false,
    outbound: undefined,
    cover: undefined,
  };
  const stopping = {
    stop() {
      copy.hasLeft = true;
      copy.outbound?.abort();
    },
  };
  running.add(stopping);
  core.breaker.begin(channel.id, prepared.model);
  let answer: CopyAnswer | undefined;
  try {
    answer = await sendCopy(core, copy, channel);
  } finally {
    core.breaker.end(channel.id);
    running.delete(stopping);
    await booking.end(answer?.usage && worth(answer.usage));
  }
  if (answer.ending === 'stopped') return false;
  counts.add(shadow.id, answer.ending === 'complete' ? 'made' : 'failed');
  return await keepAnswers(core, waiting, { prepared, channel, worth }, answer);
}

function keepAnswers(
  core: Core,
  { shadow, requestId, owner, figures, request, prompt, answer, isCut }: WaitingCopy,
  { prepared, channel, worth }: Pick<Purchase, 'prepared' | 'channel' | 'worth'>,
  copied: CopyAnswer,
): Promise<boolean> {
  const { usage, texts } = copied;
  const copy = texts?.join('') ?? '';
  const isFull =
    usage !== undefined && copied.ending === 'complete' && isAtLimit(prepared, request.outputLimit, usage);
  const row = {
    shadow_id: shadow.id,
    request_id: requestId,
    user_id: owner.userId,
    group: owner.group,
    created_at: unixSeconds(),
    is_stream: request.isStream ? (1 as const) : (0 as const),
    model: figures.model,
    channel_id: figures.channelId,
    first_token_ms: Math.round(figures.firstTokenMilliseconds ?? 0),
    time_ms: Math.round(figures.milliseconds),
    prompt_tokens: promptTokens(figures.usage),
    completion_tokens: completionTokens(figures.usage),
    cost: figures.cost,
    ending: 'complete',
    copy_model: prepared.model,
    copy_channel_id: channel.id,
    copy_first_token_ms: Math.round(copied.firstTokenMilliseconds),
    copy_time_ms: Math.round(copied.milliseconds),
    copy_prompt_tokens: usage === undefined ? 0 : promptTokens(usage),
    copy_completion_tokens: usage === undefined ? 0 : completionTokens(usage),
    copy_cost: usage === undefined ? 0 : (worth(usage)?.cost ?? null),
    copy_ending: isFull ? 'length' : copied.ending,
  };
  const kept = {
    prompt,
    answer,
    copy: copy.slice(0, LONGEST_TEXT),
    isCut: isCut || texts === undefined || copy.length > LONGEST_TEXT,
  };
  return keepSample(core.store, row, kept, {
    most: shadow.most_samples,
    isAllowed: (db) => isAllowed(db, owner, core.settings.current.ShadowCallsForEveryone),
  });
}

/** It ended at the limit that only the copy has. */
const isAtLimit = (prepared: PreparedCall, asked: number | undefined, usage: Usage): boolean =>
  prepared.outputLimit !== undefined &&
  prepared.outputLimit !== asked &&
  completionTokens(usage) >= prepared.outputLimit;
