// The money of a realtime session: its hold grows with what the meter counts, a crash charges the last checkpoint, and the
// session is settled once.
import type { Log } from '#contract/context.ts';
import { cappedChargeOf } from '#server/billing/charge.ts';
import { withFees } from '#server/billing/tiers.ts';
import type { Ledger } from '#server/billing/ledger.ts';
import { completionTokens, promptTokens, type Usage } from '#server/billing/usage.ts';
import {
  releaseCall,
  settleCall,
  type BilledCall,
  type SettlingServices,
} from '#server/relay/money/settlement.ts';
import type { ChannelHealth } from '#server/relay/channels/channel-health.ts';
import type { SessionUsage } from './meter.ts';

/** The hold grows by this much output at a time, if the balance allows it. */
const aheadTokens = 1024;

const brokenOff = 'stream broken';

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
    const { hold } = this.#call;
    try {
      for (const moreOutput of [aheadTokens, 0]) {
        const more = this.#costOf({ ...usage, output: usage.output + moreOutput }) - hold.amount;
        if (more <= 0 || (await hold.extend(more))) return 'covered';
      }
      return 'refused';
    } catch (error) {
      this.#services.log.warn('the hold of a realtime session could not be extended', { error });
      return 'unavailable';
    }
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
      } else if (hasFailed) await releaseCall(this.#services, this.#call, brokenOff);
      else await this.#call.hold.release();
    } catch (error) {
      const request_id = this.#call.hold.call.requestId;
      this.#services.log.error('a realtime call could not be settled', { request_id, error });
    }
  }

  #countAttempt(hasFailed: boolean): void {
    const { record, hold } = this.#call;
    const attempt = record.attempts.at(-1);
    if (hasFailed && attempt !== undefined) attempt.error = brokenOff;
    const failure = { requestId: hold.call.requestId, words: brokenOff };
    this.#services.health.answered(record.channelId, hasFailed ? failure : undefined);
  }

  #costOf(usage: Usage): number {
    const { price } = this.#call;
    return cappedChargeOf(price, withFees(price, usage));
  }
}
