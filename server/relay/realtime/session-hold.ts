// The money of a realtime session: its hold grows with what the meter counts, a crash charges the last checkpoint, and the
// session is settled once.
import type { Log } from '#contract/context.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import { completionTokens, promptTokens, type Usage } from '#server/money/prices/usage.ts';
import {
  releaseCall,
  settleCall,
  type BilledCall,
  type SettlingServices,
} from '#server/relay/money/settlement.ts';
import type { ChannelHealth } from '#server/relay/channel-choice/channel-health.ts';
import { dearestClass, type OutputClass } from '#server/relay/money/exposure.ts';
import { withOutput, type SessionUsage } from './session-usage.ts';

/** The hold grows by this much output at a time, if the balance allows it. */
const AHEAD_TOKENS = 1024;
/** A response that the balance pays for only in part has at least so many tokens. */
const LEAST_TOKENS = 128;

const BROKEN_OFF = 'stream broken';

export type Extension = 'covered' | 'refused' | 'unavailable';

export interface HoldServices extends SettlingServices {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly health: ChannelHealth;
}

export class SessionHold {
  readonly #services: HoldServices;
  readonly #call: BilledCall;
  #extension: Promise<Extension> = Promise.resolve('covered');
  #checkpointQuota = 0;

  constructor(services: HoldServices, call: BilledCall) {
    this.#services = services;
    this.#call = call;
  }

  /** True: the hold covers this usage already. */
  cover(usage: Usage): true | Promise<Extension> {
    if (this.#costOf(usage) <= this.#call.hold.amount) return true;
    // Both directions extend one hold, one after the other: two at once would reserve the same amount twice.
    this.#extension = this.#extension.then((before) => (before === 'covered' ? this.#extend(usage) : before));
    return this.#extension;
  }

  async #extend(usage: Usage): Promise<Extension> {
    const found = await this.#firstPaid([AHEAD_TOKENS, 0], (tokens) =>
      withOutput(usage, [this.#dearest, tokens]),
    );
    return typeof found === 'number' ? 'covered' : found;
  }

  /**
   * Covers a response with as much of its limit as the balance pays for, and says how much that is. `usageWith`: what the session
   * can cost with a response of so many tokens. `mayBeLess`: a part of the limit helps.
   */
  coverResponse(
    limitTokens: number,
    usageWith: (tokens: number) => Usage,
    mayBeLess: boolean,
  ): number | Promise<number | Exclude<Extension, 'covered'>> {
    if (this.#costOf(usageWith(limitTokens)) <= this.#call.hold.amount) return limitTokens;
    const choices = mayBeLess ? halvesOf(limitTokens) : [limitTokens];
    const found = this.#extension.then((before) =>
      before === 'covered' ? this.#firstPaid(choices, usageWith) : before,
    );
    this.#extension = found.then((tokens) => (typeof tokens === 'number' ? 'covered' : tokens));
    return found;
  }

  /** True: the hold covers this usage. A promise of false: it could not be extended, and the session goes on with the hold it has. */
  coverWhole(usage: Usage): true | Promise<boolean> {
    if (this.#call.hold.amount >= this.#costOf(usage)) return true;
    const trying = this.#extension.then(async (before): Promise<[after: Extension, isHeld: boolean]> => {
      if (before !== 'covered') return [before, false];
      const found = await this.#firstPaid([0], () => usage);
      return [found === 'unavailable' ? found : 'covered', found === 0];
    });
    this.#extension = trying.then(([after]) => after);
    return trying.then(([, isHeld]) => isHeld);
  }

  /** The first of these numbers of tokens that the hold covers or can be extended to. */
  async #firstPaid(
    choices: readonly number[],
    usageWith: (tokens: number) => Usage,
  ): Promise<number | Exclude<Extension, 'covered'>> {
    const { hold } = this.#call;
    try {
      for (const tokens of choices) {
        const more = this.#costOf(usageWith(tokens)) - hold.amount;
        if (more <= 0 || (await hold.extend(more))) return tokens;
      }
      return 'refused';
    } catch (error) {
      this.#services.log.warn('the hold of a realtime session could not be extended', { error });
      return 'unavailable';
    }
  }

  get #dearest(): OutputClass {
    return dearestClass(this.#call.price, () => true);
  }

  /** What a crash charges from now on. */
  checkpoint({ usage, isEmpty }: SessionUsage): void {
    const quota = isEmpty ? 0 : this.#costOf(usage);
    if (quota === this.#checkpointQuota) return;
    this.#checkpointQuota = quota;
    const { hold, record } = this.#call;
    this.#services.ledger.dispatched(hold.call, {
      quota,
      promptTokens: promptTokens(usage),
      completionTokens: completionTokens(usage),
      channelId: record.channelId,
      cost: this.#services.costs?.costOf(record, usage) ?? null,
    });
  }

  /** Never rejects. `hasFailed`: the upstream broke off a response. */
  async end(
    { usage, isEstimated, isEmpty, doubts }: SessionUsage,
    ending: string,
    hasFailed: boolean,
  ): Promise<void> {
    this.#countAttempt(hasFailed);
    try {
      if (!isEmpty) {
        const ended = { usage, estimated: isEstimated, firstTokenMilliseconds: undefined, ending, doubts };
        await settleCall(this.#services, this.#call, ended);
      } else if (hasFailed) await releaseCall(this.#services, this.#call, BROKEN_OFF);
      else await this.#call.hold.release();
    } catch (error) {
      const request_id = this.#call.hold.call.requestId;
      this.#services.log.error('a realtime call could not be settled', { request_id, error });
    }
  }

  #countAttempt(hasFailed: boolean): void {
    const { record, hold } = this.#call;
    const attempt = record.attempts.at(-1);
    if (hasFailed && attempt !== undefined) attempt.error = BROKEN_OFF;
    const failure = { requestId: hold.call.requestId, words: BROKEN_OFF };
    this.#services.health.answered(record.channelId, hasFailed ? failure : undefined);
  }

  #costOf(usage: Usage): number {
    const { price } = this.#call;
    return cappedChargeOf(price, withFees(price, usage));
  }
}

/** The limit, then half of it, and so on down to the least. */
function halvesOf(limitTokens: number): number[] {
  const choices = [limitTokens];
  for (let tokens = Math.floor(limitTokens / 2); tokens > LEAST_TOKENS; tokens = Math.floor(tokens / 2))
    choices.push(tokens);
  if (limitTokens > LEAST_TOKENS) choices.push(LEAST_TOKENS);
  return choices;
}
