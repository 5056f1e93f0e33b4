// The usage reports of a realtime session, each believed once and within reason; what was not believed is kept for the log row.
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import { readOpenAiUsage } from '#server/models/formats/openai-usage.ts';
import { sessionBounds } from '#server/relay/money/asked-for.ts';
import { believe, type UsageBounds } from '#server/relay/money/believable-usage.ts';
import { credibleUsage } from '#server/relay/money/settlement.ts';

/** The first ones tell enough. */
const MOST_DOUBTS = 20;
const MOST_ENDED = 100_000;
/** Tokens of the prompt of a transcription. */
const TRANSCRIPTION_PROMPT_TOKENS = 1000;

export class BelievedReports {
  /** Ids of the answers that ended. */
  readonly #ended = new Set<string>();
  #repeated = 0;
  readonly #doubts: UsageDoubt[] = [];

  get doubts(): readonly UsageDoubt[] {
    if (this.#repeated === 0) return this.#doubts;
    const charged = this.#ended.size;
    return [...this.#doubts, { count: 'answers', reported: charged + this.#repeated, charged }];
  }

  /** False for the second end of an answer. One without an id cannot be told from others. */
  isFirst(kind: string, id: unknown): boolean {
    if (typeof id !== 'string' || id === '') return true;
    const key = `${kind} ${id}`;
    if (this.#ended.has(key)) {
      this.#repeated += 1;
      return false;
    }
    if (this.#ended.size < MOST_ENDED) this.#ended.add(key);
    return true;
  }

  /** Undefined without a report, or for impossible counts. */
  read(reported: unknown, bounds: UsageBounds): CanonicalUsage | undefined {
    const report = readUsage(reported);
    if (report === undefined) return undefined;
    if (credibleUsage(report) === undefined) {
      this.#doubt({ count: 'report' });
      return undefined;
    }
    const { usage, doubts } = believe(report, bounds);
    for (const doubt of doubts) this.#doubt(doubt);
    return usage;
  }

  #doubt(doubt: UsageDoubt): void {
    if (this.#doubts.length < MOST_DOUBTS) this.#doubts.push(doubt);
  }
}

/** Of the next transcription: all of a session together read what was heard. */
export function transcriptionBounds(heardTokens: number, chargedTokens: number): UsageBounds {
  const bounds = sessionBounds(heardTokens, undefined, 0, TRANSCRIPTION_PROMPT_TOKENS);
  const left = Math.max(0, bounds.input - chargedTokens);
  return { input: left, output: left, answer: left, searches: 0 };
}

/** Transcriptions of some models report their length instead: a minute is a thousand tokens, as for uploaded recordings. */
function readUsage(usage: unknown): CanonicalUsage | undefined {
  if (!isObject(usage) || usage['type'] !== 'duration') return readOpenAiUsage(usage);
  const seconds = usage['seconds'];
  const input = typeof seconds === 'number' && seconds > 0 ? Math.ceil((Math.ceil(seconds) * 1000) / 60) : 0;
  return readOpenAiUsage({ input_tokens: input, output_tokens: 0 });
}
