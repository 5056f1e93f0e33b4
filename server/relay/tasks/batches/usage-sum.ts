// What the finished requests of a batch used, read line by line from its output with the readers of ordinary answers. Reading
// the same output again gives the same sum.
import { TOKEN_CLASSES } from '#contract/money/token-classes.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { searchesOf } from '#server/money/prices/tiers.ts';
import { completionTokens, promptTokens, usageOf, type Usage } from '#server/money/prices/usage.ts';
import { isObject, type Json } from '#server/models/formats/json.ts';
import { usageInAnswer } from '#server/relay/answer/whole-usage.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Format } from '#server/models/formats/format.ts';
import { widestBounds, type AskedCall } from '#server/relay/money/asked-for.ts';
import { addBounds, believe, type UsageBounds } from '#server/relay/money/believable-usage.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { messagesEndpoint, relayEndpoints } from '#server/relay/request/endpoints.ts';
import { AskedIds } from './asked-ids.ts';
import { openContent } from './content.ts';
import { LineSplitter, turns } from './lines.ts';
import type { BatchInput } from './requests.ts';

export interface OutputUsage {
  readonly usage: Usage;
  /** At least one answer had no report of its usage. */
  readonly estimated: boolean;
  /** Requests with an answer; only they are charged. */
  readonly answered: number;
  /** What was not believed of the output. */
  readonly doubts: readonly UsageDoubt[];
}

const KEPT_TEXT = 8192;
/** With members one object deep. In the answer's own texts the quotes have backslashes. */
const CUSTOM_ID = /"custom_id"\s*:\s*("(?:[^"\\]|\\.)*")/g;
const REPORT = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g;

/** Beginning and end of a line that is too long to be kept: the report of its usage is there. */
export class LongLine {
  #head = '';
  #tail = '';

  add(piece: string): void {
    if (this.#head.length < KEPT_TEXT) this.#head += piece.slice(0, KEPT_TEXT - this.#head.length);
    this.#tail = (this.#tail + piece.slice(-KEPT_TEXT)).slice(-KEPT_TEXT);
  }

  get usage(): Json | undefined {
    const value = this.#last(REPORT);
    return isObject(value) ? value : undefined;
  }

  /** Undefined when neither end has it. */
  get customId(): string | undefined {
    const value = this.#last(CUSTOM_ID);
    return typeof value === 'string' ? value : undefined;
  }

  #last(pattern: RegExp): unknown {
    const [, text] = [...`${this.#head}\n${this.#tail}`.matchAll(pattern)].at(-1) ?? [];
    try {
      return JSON.parse(text ?? 'null');
    } catch {
      return undefined;
    }
  }
}

/** The first doubts tell enough. */
const MOST_DOUBTS = 20;

export class UsageSum {
  readonly #asked: AskedCall;
  readonly #ids: AskedIds;
  /** What all answers together can have used. */
  #most: UsageBounds;
  #sum: Usage = usageOf({ pieces: 0 });
  #searches = 0;
  #answered = 0;
  /** Answers that were foreign, repeated or too many. */
  #ignored = 0;
  #estimated = false;
  readonly #doubts: UsageDoubt[] = [];

  constructor(input: Pick<BatchInput, 'path' | 'promptTokens' | 'requests' | 'ids' | 'bounds'>) {
    const endpoint = relayEndpoints.find(({ path }) => path === input.path) ?? messagesEndpoint;
    // Which request an answer belongs to is not known here: one without a report counts as an average one.
    const averageTokens = Math.ceil(input.promptTokens / Math.max(1, input.requests));
    const unreported = usageOf({ input: averageTokens });
    const estimate = {
      promptTokens: averageTokens,
      pieces: 1,
      choices: 1,
      unreported,
      isExact: false,
      most: unreported,
    };
    const request = { outputLimit: undefined, requestLength: 0, fields: {}, model: '' };
    this.#asked = {
      prepared: { endpoint, estimate, ...request },
      bounds: input.bounds?.each ?? widestBounds,
    };
    this.#most = input.bounds?.all ?? timesBounds(widestBounds, input.requests);
    this.#ids = new AskedIds(input);
  }

  add(answer: Json, id: unknown): void {
    if (this.#isCharged(typeof id === 'string' && this.#ids.take(id))) this.#measure(answer);
  }

  /** An answer that is too long to be read. */
  addUnread(): void {
    if (this.#isCharged(this.#ids.takeUnnamed())) this.#addUnread();
  }

  addLong({ usage, customId: id }: LongLine): void {
    if (!this.#isCharged(id === undefined ? this.#ids.takeUnnamed() : this.#ids.take(id))) return;
    if (usage === undefined) this.#addUnread();
    else this.#measure({ usage });
  }

  #isCharged(isAsked: boolean): boolean {
    if (isAsked) this.#answered += 1;
    else this.#ignored += 1;
    return isAsked;
  }

  #addUnread(): void {
    this.#add(this.#asked.prepared.estimate.unreported, true);
  }

  #measure(answer: Json): void {
    const { usage, estimated, doubts } = usageInAnswer(this.#asked, { json: answer, converted: undefined });
    for (const doubt of doubts) this.#doubt(doubt);
    this.#add(usage, estimated);
  }

  #add(usage: Usage, estimated: boolean): void {
    for (const name of TOKEN_CLASSES) this.#sum[name] += usage[name];
    this.#sum.pieces += usage.pieces;
    for (const { count } of usage.surcharges) this.#searches += count;
    this.#estimated ||= estimated;
    // What was counted here, or delivered beyond a limit, is believed beside what the requests allow.
    const each = estimated ? NO_TOKENS : (this.#asked.bounds ?? widestBounds);
    const beyond = Math.max(0, completionTokens(usage) - each.answer);
    const input = Math.max(0, promptTokens(usage) - each.input);
    this.#most = addBounds(this.#most, { input, output: beyond, answer: beyond, searches: 0 });
  }

  #doubt(doubt: UsageDoubt): void {
    if (this.#doubts.length < MOST_DOUBTS) this.#doubts.push(doubt);
  }

  get result(): OutputUsage {
    const answered = this.#answered;
    const { usage, doubts } = believe({ ...this.#sum, webSearches: this.#searches }, this.#most);
    const { webSearches, ...counts } = usage;
    const ignored: UsageDoubt[] =
      this.#ignored === 0
        ? []
        : [{ count: 'answers', reported: answered + this.#ignored, charged: answered }];
    return {
      usage: { ...counts, surcharges: searchesOf(webSearches) },
      estimated: this.#estimated,
      answered,
      doubts: [...this.#doubts, ...doubts, ...ignored],
    };
  }
}

const NO_TOKENS = { input: 0, answer: 0 };

const timesBounds = ({ input, output, answer, searches }: UsageBounds, times: number): UsageBounds => ({
  input: input * times,
  output: output * times,
  answer: answer * times,
  searches: searches * times,
});

/** Undefined when the output cannot be read to its end: it is read again later. */
export async function readOutput(
  core: Core,
  { channel, format, path, signal }: { channel: Channel; format: Format; path: string; signal: AbortSignal },
  sum: UsageSum,
  answerIn: (line: Json) => Json | undefined,
): Promise<OutputUsage | undefined> {
  const opened = await openContent(core, channel, format, path);
  if ('failure' in opened) return undefined;
  const { call, answer } = opened;
  const abort = (): void => call.abort();
  signal.addEventListener('abort', abort, { once: true });
  const splitter = new LineSplitter();
  let long = new LongLine();
  const turn = turns();
  try {
    for (;;) {
      const piece = await answer.read();
      for (const found of splitter.push(piece)) {
        if ('line' in found) addLine(sum, found.line, answerIn);
        else {
          long.add(found.long);
          if (found.isEnd) {
            sum.addLong(long);
            long = new LongLine();
          }
        }
        await turn();
      }
      if (piece === undefined) return signal.aborted ? undefined : sum.result;
    }
  } catch (error) {
    call.abort();
    if (!signal.aborted)
      core.log.warn('the output of a batch could not be read', { channel_id: channel.id, error });
    return undefined;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Throws for a line that is not an object: an output that was cut is not whole. */
function addLine(sum: UsageSum, line: string, answerIn: (line: Json) => Json | undefined): void {
  if (line.trim() === '') return;
  const value: unknown = JSON.parse(line);
  if (!isObject(value)) throw new Error('a line of the output is not an object');
  const answer = answerIn(value);
  if (answer !== undefined) sum.add(answer, value['custom_id']);
}
