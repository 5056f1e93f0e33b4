// What transcriptions beside a conversation cost: those that were reported, and the most that those under way can cost.
import { promptTokens, usageOf, type Surcharge, type Usage } from '#server/money/prices/usage.ts';
import { sumOf, type TokenCounts } from './session-usage.ts';
import type { PriceTranscription } from './transcription.ts';

/** Models that report a length are charged by it: a thousand tokens for each minute that has begun to the second. */
const TOKENS_PER_MINUTE = 1000;
const HEARD_TOKENS_PER_SECOND = 10;

export class Transcriptions {
  readonly #priceOf: PriceTranscription;
  readonly #reported = new Map<string, Usage>();
  /** Audio tokens by item. */
  readonly #running = new Map<string, { model: string; audioTokens: number }>();

  constructor(priceOf: PriceTranscription) {
    this.#priceOf = priceOf;
  }

  /** The upstream has made an item of audio, which this model transcribes. */
  begin(itemId: string, model: string, audioTokens: number): void {
    this.#running.set(itemId, { model, audioTokens });
  }

  end(itemId: unknown): void {
    if (typeof itemId === 'string') this.#running.delete(itemId);
  }

  add(model: string, report: TokenCounts): void {
    this.#reported.set(model, sumOf(this.#reported.get(model) ?? usageOf({}), report));
  }

  /** Prompt tokens of all reports. */
  get reportedTokens(): number {
    let tokens = 0;
    for (const usage of this.#reported.values()) tokens += promptTokens(usage);
    return tokens;
  }

  /** Of what was reported. */
  get charged(): Pick<Usage, 'surcharges' | 'otherModels'> {
    const otherModels = Array.from(this.#reported, ([model, usage]) => ({ model, usage }));
    return { surcharges: otherModels.map(({ model, usage }) => this.#priceOf(model, usage)), otherModels };
  }

  /** The most that transcriptions under way can cost. */
  get possible(): Surcharge[] {
    return Array.from(this.#running.values(), ({ model, audioTokens }) => {
      const byTokens = this.#priceOf(model, usageOf({ audioInput: audioTokens, output: audioTokens }));
      const seconds = Math.ceil(audioTokens / HEARD_TOKENS_PER_SECOND);
      const input = Math.ceil((seconds * TOKENS_PER_MINUTE) / 60);
      const byLength = this.#priceOf(model, usageOf({ input }));
      const dollars = ({ count, dollarsEach }: Surcharge) => count * dollarsEach;
      return dollars(byLength) > dollars(byTokens) ? byLength : byTokens;
    });
  }
}
