// Settles or releases a call: which usage is charged, reported or estimated, and its log row. The table of charges is in
// server/relay/README.md.
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { cacheSavingOf } from '#server/money/prices/cache-saving.ts';
import { searchesOf, withFees } from '#server/money/prices/tiers.ts';
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';
import type { Settlement } from '#server/money/ledger/ledger.ts';
import type { CostBook } from '#server/money/costs/index.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import * as canonical from '#server/models/formats/openai-usage.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Estimate } from '#server/relay/request/request-size.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { fullBounds, plainBounds, type AskedCall } from './asked-for.ts';
import { believe, isWithin, type Believed } from './believable-usage.ts';
import type { CopiedCall } from './call-copies.ts';
import type { CallWatcher } from './call-watcher.ts';
import type { Hold } from './hold.ts';
import { consumeRow, errorRow, servedModel, type CallRecord } from './log-row.ts';
import type { StreamCover } from './stream-cover.ts';
import type { UsageAlerts } from './usage-alerts.ts';

/** The parts of a running call that its charge and log row are made of. */
export interface BilledCall {
  readonly startedAt: number;
  readonly price: PriceSnapshot;
  readonly hold: Hold;
  readonly record: CallRecord;
  readonly prepared: { readonly estimate: Estimate };
  readonly copy?: CopiedCall | undefined;
}

export interface Ended {
  usage: Usage;
  estimated: boolean;
  firstTokenMilliseconds: number | undefined;
  /** Empty for an ordinary end. */
  ending: string;
  /** Counts of the upstream's report that were not believed. */
  doubts: readonly UsageDoubt[];
}

export interface SettlingServices {
  readonly settings: SettingsReader;
  readonly watcher?: CallWatcher;
  readonly usageAlerts: UsageAlerts;
  /** Without it every cost is unknown. */
  readonly costs?: Pick<CostBook, 'costOf'>;
}

export function settleCall(
  { settings, watcher, costs, usageAlerts }: SettlingServices,
  call: BilledCall,
  ended: Ended,
): Promise<Settlement> {
  const usage = withFees(call.price, ended.usage);
  const useTimeMilliseconds = performance.now() - call.startedAt;
  const charge = cappedChargeOf(call.price, usage);
  watcher?.ended({
    requestId: call.hold.call.requestId,
    record: call.record,
    usage,
    charge,
    held: call.hold.amount,
    milliseconds: useTimeMilliseconds,
    firstTokenMilliseconds: ended.firstTokenMilliseconds,
    ending: ended.ending,
  });
  usageAlerts.doubted(call.hold.call.requestId, call.record, ended.doubts);
  const bought = boughtCall(call.record);
  const cost = costs?.costOf(bought, ended.usage) ?? null;
  call.copy?.settled({
    model: servedModel(call.record),
    channelId: call.record.channelId,
    usage,
    cost,
    milliseconds: useTimeMilliseconds,
    firstTokenMilliseconds: ended.firstTokenMilliseconds,
    ending: ended.ending,
  });
  return call.hold.settle({
    charge,
    cost,
    group: call.record.caller.group,
    channelId: call.record.channelId,
    modelName: call.record.model,
    promptTokens: promptTokens(usage),
    completionTokens: completionTokens(usage),
    useTimeMs: Math.round(useTimeMilliseconds),
    firstTokenMs: Math.round(ended.firstTokenMilliseconds ?? 0),
    log: settings.current.LogConsumeEnabled
      ? consumeRow(call.record, {
          usage,
          price: call.price,
          estimated: ended.estimated,
          useTimeMilliseconds,
          firstTokenMilliseconds: ended.firstTokenMilliseconds,
          ending: ended.ending,
          doubts: ended.doubts,
          // The upstream of a cached answer was not called.
          cacheSaving:
            call.record.hit === undefined
              ? cacheSavingOf(
                  { price: call.price, usage, charge, cost },
                  (uncached) => costs?.costOf(bought, uncached) ?? null,
                )
              : undefined,
        })
      : null,
  });
}

/** The operator buys the model that answered, whatever name the call is priced as. */
export const boughtCall = (record: CallRecord) =>
  record.route === undefined ? record : { ...record, model: record.route.served };

/** Charges nothing; counts the failure and writes an error row for the operator. */
export function releaseCall(
  { watcher }: Pick<SettlingServices, 'watcher'>,
  call: BilledCall,
  content: string,
): Promise<void> {
  const useTimeMs = Math.round(performance.now() - call.startedAt);
  watcher?.ended({
    requestId: call.hold.call.requestId,
    record: call.record,
    usage: undefined,
    charge: 0,
    held: call.hold.amount,
    milliseconds: useTimeMs,
    firstTokenMilliseconds: undefined,
    ending: 'failed',
  });
  return call.hold.release({
    channelId: call.record.channelId,
    modelName: call.record.model,
    useTimeMs,
    log: errorRow(call.record, content, useTimeMs),
  });
}

/** No call has a trillion tokens. */
const MOST_TOKENS = 1e12;

/** The report, or undefined if one of its token counts is impossible: then the local count is charged, as without a report. */
export function credibleUsage(reported: CanonicalUsage | undefined): CanonicalUsage | undefined {
  return reported === undefined || hasImpossibleCount(reported.raw) ? undefined : reported;
}

function hasImpossibleCount(usage: unknown): boolean {
  if (!isObject(usage)) return false;
  for (const name in usage) {
    const value = usage[name];
    if (typeof value === 'number') {
      if ((value < 0 || value > MOST_TOKENS) && /token/i.test(name)) return true;
    } else if (typeof value === 'object' && hasImpossibleCount(value)) return true;
  }
  return false;
}

export interface ReportedUsage {
  /** Undefined: the local count is charged. */
  readonly usage: Usage | undefined;
  readonly doubts: readonly UsageDoubt[];
}

const NOTHING_REPORTED: ReportedUsage = { usage: undefined, doubts: [] };
/** The report as a whole is not believed. */
const UNBELIEVED: ReportedUsage = { usage: undefined, doubts: [{ count: 'report' }] };

/**
 * The reported usage as far as it is believed. No usage without a report, for impossible counts, and for a report of zero
 * tokens despite delivered content. `delivered` counts the content, which is expensive for a whole answer.
 */
export function reportedUsage(
  call: AskedCall,
  reported: CanonicalUsage | undefined,
  delivered: () => number,
): ReportedUsage {
  if (reported === undefined) return NOTHING_REPORTED;
  if (credibleUsage(reported) === undefined) return UNBELIEVED;
  if (canonical.totalTokens(reported) === 0 && delivered() > 0) return NOTHING_REPORTED;
  const believed = believedUsage(call, reported, delivered);
  return believed === undefined
    ? UNBELIEVED
    : { usage: chargedUsage(believed.usage, call.prepared.estimate.pieces), doubts: believed.doubts };
}

/** Undefined: nothing in the report can be believed. */
function believedUsage(
  call: AskedCall,
  reported: CanonicalUsage,
  delivered: () => number,
): Believed<CanonicalUsage> | undefined {
  if (isWithin(reported, plainBounds(call))) return { usage: reported, doubts: [] };
  const bounds = fullBounds(call, delivered());
  const { input, answer } = bounds;
  const believed = believe(
    reported,
    reported.isTotalAlone === true ? { ...bounds, input: input + answer } : bounds,
  );
  const { usage, doubts } = believed;
  if (reported.isTotalAlone === true && doubts.length > 0) return undefined;
  // The answer was counted by a total that is not believed.
  const isUncounted =
    doubts.some(({ count }) => count === 'total') && canonical.completionTokens(usage) === 0;
  return isUncounted ? { usage: { ...usage, output: delivered() }, doubts } : believed;
}

function chargedUsage(reported: CanonicalUsage, pieces: number): Usage {
  return {
    input: reported.input,
    cacheRead: reported.cacheRead,
    cacheWrite5m: reported.cacheWrite5m,
    cacheWrite1h: reported.cacheWrite1h,
    imageInput: reported.imageInput,
    audioInput: reported.audioInput,
    output: reported.output,
    reasoning: reported.reasoning,
    audioOutput: reported.audioOutput,
    pieces,
    surcharges: searchesOf(reported.webSearches),
  };
}

/** The stream ends because the hold could not grow. */
export const quotaError = (): RelayError =>
  new RelayError(
    'stream_insufficient_quota',
    {},
    { type: 'insufficient_quota', publicCode: 'insufficient_quota' },
  );

/**
 * With what the upstream may have thought without sending it. A report from the start of an answer does not count it; one that
 * names reasoning does.
 */
export function withHidden(usage: Usage, cover: StreamCover | undefined, deliveredTokens: number): Usage {
  if (cover === undefined || usage.reasoning > 0) return usage;
  const answer = deliveredTokens + cover.hiddenTokens(deliveredTokens);
  const hidden = answer - completionTokens(usage);
  return hidden <= 0 ? usage : { ...usage, reasoning: hidden };
}

/** A report that came before the end (the prompt at the start of an answer, say) and what was sent after it. */
export function withUnreported(reported: Usage, unreportedTokens: number, deliveredTokens: number): Usage {
  if (unreportedTokens === 0) return reported;
  // Before any output a report may count the first token or none of it.
  const output =
    unreportedTokens === deliveredTokens
      ? Math.max(reported.output, deliveredTokens)
      : reported.output + unreportedTokens;
  return { ...reported, output };
}

/** The estimated prompt and the delivered output. */
export function estimatedUsage(call: Pick<BilledCall, 'prepared'>, deliveredTokens: number): Usage {
  const { unreported } = call.prepared.estimate;
  return deliveredTokens === 0 ? unreported : { ...unreported, output: unreported.output + deliveredTokens };
}
