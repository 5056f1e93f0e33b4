// What a call asks the ledger to hold at one model, and the limit of its answer where the hold is smaller.
import { modelLimits } from '#server/money/prices/model-limits.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { SettingsReader } from '#server/platform/settings/settings.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { Exposure } from './exposure.ts';
import type { CallRecord } from './log-row.ts';
import { firstSliceTokens } from './stream-cover.ts';

/** What a whole answer counts for in the tokens per minute until its usage is known. */
const USUAL_ANSWER_TOKENS = 4096;

export interface Demand {
  readonly exposure: Exposure;
  /** Output tokens that count until the usage is known. */
  readonly slice: number;
  readonly amount: number;
  /** The smallest hold that the call can use. */
  readonly least: number;
}

/** A whole answer asks for all that it can cost, a stream for its first slice. */
export function demandOf({ current }: SettingsReader, prepared: PreparedCall, price: PriceSnapshot): Demand {
  const { isStream, estimate } = prepared;
  const { PreConsumedQuota, ModelLimits, LowerAnswerLimits } = current;
  const exposure = new Exposure(prepared, price, modelLimits(ModelLimits, prepared.model), PreConsumedQuota);
  const { outputTokens, leastOutputTokens } = exposure;
  const slice = Math.min(
    outputTokens,
    isStream ? firstSliceTokens(exposure, estimate.choices) : USUAL_ANSWER_TOKENS * estimate.choices,
  );
  const amount = exposure.costOf(isStream ? slice : outputTokens);
  const canBeLess = outputTokens > 0 && (isStream || LowerAnswerLimits);
  // The limit of a whole answer is lowered to its hold, so the hold must pay for the least limit that can be sent.
  const leastTokens = isStream ? Math.min(slice, leastOutputTokens) : leastOutputTokens;
  return { exposure, slice, amount, least: canBeLess ? exposure.costOf(leastTokens) : amount };
}

/** What there is for a call. */
export interface Held {
  readonly amount: number;
  /** What the balance still has beside it. */
  readonly balance: number;
  /** A subscription may pay a part. */
  readonly hasPlans: boolean;
}

/** Asks the upstream for no more than what is held pays for. */
export function lowerToHold(
  { current }: SettingsReader,
  prepared: PreparedCall,
  record: CallRecord,
  { exposure, amount }: Demand,
  held: Held,
): void {
  // A stream that may work in secret is asked for no more than hold and balance pay: beyond it the call would end in its thoughts.
  const isLowered = prepared.isStream ? !held.hasPlans && exposure.mayBeSilent : held.amount < amount;
  if (!isLowered || !current.LowerAnswerLimits) return;
  const payable = held.amount + (prepared.isStream ? held.balance : 0);
  const { outputTokens, leastOutputTokens } = exposure;
  if (outputTokens === 0 || exposure.costOf(outputTokens) <= payable) return;
  const tokens = Math.max(leastOutputTokens, exposure.tokensFor(payable, outputTokens));
  record.outputLimit = exposure.limitFor(tokens);
  prepared.lowerOutputLimit?.(record.outputLimit);
}
