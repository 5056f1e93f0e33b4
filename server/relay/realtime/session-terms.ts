// What a realtime session can cost: its model's largest response and the dearest class of what it says.
import { modelLimits } from '#server/money/prices/model-limits.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { dearestClass } from '#server/relay/money/exposure.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { SessionTerms } from './session-usage.ts';
import { transcriptionPrices } from './transcription.ts';

export function sessionTerms(core: Core, { price, caller, prepared }: RunningCall): SessionTerms {
  const { answerTokens } = modelLimits(core.settings.current.ModelLimits, prepared.model);
  return {
    priceOf: transcriptionPrices(core, price, caller.group),
    largestTokens: answerTokens,
    dearest: { spoken: dearestClass(price, () => true), written: dearestClass(price, () => false) },
  };
}
