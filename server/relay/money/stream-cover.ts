// Keeps the hold of a stream ahead of what its answer can have cost: slice by slice while output is visible, and with time, at
// the model's top speed, while nothing is (hidden reasoning, tools that the upstream runs). When the hold cannot grow, the
// stream ends and what was used is charged.
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { Exposure } from './exposure.ts';
import type { Hold } from './hold.ts';

const STREAM_SLICE_TOKENS = 1024;
const LONGEST_SLICE_TOKENS = 16_384;
const LAST_STEP_TOKENS = 128;
/** A stream is visited once a second: what its model can think until then is held before. */
const VISIT_SECONDS = 1;

/** Output tokens covered by the first hold of a stream. */
export const firstSliceTokens = ({ mayBeSilent, tokensPerSecond }: Exposure, choices: number): number =>
  Math.max(STREAM_SLICE_TOKENS * choices, mayBeSilent ? tokensPerSecond * VISIT_SECONDS : 0);

export class StreamCover {
  readonly #hold: Hold;
  readonly #exposure: Exposure;
  readonly #limitTokens: number;
  #nextSlice = STREAM_SLICE_TOKENS;
  /** By the clock of `performance.now`; 0 before the request is sent. */
  #visitedAt = 0;
  #hiddenMilliseconds = 0;
  #isHidden = false;
  #extending: Promise<boolean> = Promise.resolve(true);

  constructor(hold: Hold, exposure: Exposure) {
    this.#hold = hold;
    this.#exposure = exposure;
    this.#limitTokens = exposure.outputTokens;
  }

  /** Of another attempt of the same call at the same time. */
  beside(): StreamCover {
    return new StreamCover(this.#hold, this.#exposure);
  }

  /** The request is sent, or sent again to another channel: the hidden time of the attempt before is not charged. */
  begin(now: number): void {
    this.#visitedAt = now;
    this.#hiddenMilliseconds = 0;
  }

  /** Counts the time since the last visit; true: the hold should be checked, because hidden output may have grown. */
  visit(now: number, isHidden: boolean): boolean {
    const passed = this.#visitedAt === 0 ? 0 : now - this.#visitedAt;
    this.#visitedAt = now;
    this.#isHidden = isHidden;
    if (isHidden) this.#hiddenMilliseconds += passed;
    return isHidden;
  }

  /** Tokens that the answer can have by now: those delivered, and those that the model can have produced in the hidden time. */
  possibleTokens(deliveredTokens: number): number {
    const hidden = Math.ceil((this.#hiddenMilliseconds * this.#exposure.tokensPerSecond) / 1000);
    return Math.max(deliveredTokens, Math.min(this.#limitTokens, deliveredTokens + hidden));
  }

  /** The most tokens that are believed of an upstream that delivered so many: what time allows, and the first slice. */
  believableTokens(deliveredTokens: number, now: number): number {
    const milliseconds = this.#hiddenMilliseconds + (this.#visitedAt === 0 ? 0 : now - this.#visitedAt);
    const hidden = Math.ceil((milliseconds * this.#exposure.tokensPerSecond) / 1000);
    return deliveredTokens + hidden + STREAM_SLICE_TOKENS;
  }

  /** An estimate for a call that ends without a report: no more than its hold pays for. */
  hiddenTokens(deliveredTokens: number): number {
    const { mayHideOutput, hiddenTokensPerSecond } = this.#exposure;
    if (!mayHideOutput) return 0;
    const hidden = Math.floor((this.#hiddenMilliseconds * hiddenTokensPerSecond) / 1000);
    const held = this.#exposure.tokensFor(this.#hold.amount, this.#limitTokens);
    return Math.max(0, Math.min(hidden, held - deliveredTokens));
  }

  /** Extends the hold if it has to be; false: the balance does not allow it. */
  covers(deliveredTokens: number, reported?: CanonicalUsage): boolean | Promise<boolean> {
    const tokens = this.possibleTokens(deliveredTokens);
    // Half a slice ahead, so that the hold also covers what arrives until the next check.
    if (this.#costOf(tokens, this.#ahead(this.#nextSlice / 2), reported) <= this.#hold.amount) return true;
    // Output and time both extend one hold, one after the other: two at once would reserve the same amount twice.
    const extension = this.#extending.then((before) => before && this.#extend(tokens, reported));
    this.#extending = extension.catch(() => true);
    // While the database is away a stream goes on as long as its hold covers what was delivered.
    return extension.catch((error: unknown) => {
      if (this.#costOf(deliveredTokens, 0, reported) <= this.#hold.amount) return true;
      throw error;
    });
  }

  /** At least what can be thought until the next visit. */
  #ahead(tokens: number): number {
    return this.#isHidden ? Math.max(tokens, this.#exposure.tokensPerSecond * VISIT_SECONDS) : tokens;
  }

  /** A large step where the balance allows it, smaller ones near its end: the caller gets what the balance pays for. */
  async #extend(tokens: number, reported: CanonicalUsage | undefined): Promise<boolean> {
    this.#nextSlice = Math.min(this.#nextSlice * 2, LONGEST_SLICE_TOKENS);
    for (const ahead of [this.#nextSlice, STREAM_SLICE_TOKENS / 2, LAST_STEP_TOKENS]) {
      if (await this.#hold.extendTo(this.#costOf(tokens, this.#ahead(ahead), reported))) return true;
      this.#nextSlice = LAST_STEP_TOKENS;
    }
    return false;
  }

  /** The cost of so many tokens and some ahead of them, up to the limit of the answer. */
  #costOf(tokens: number, ahead: number, reported: CanonicalUsage | undefined): number {
    return this.#exposure.costOf(Math.max(tokens, Math.min(tokens + ahead, this.#limitTokens)), reported);
  }
}
