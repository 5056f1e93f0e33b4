// What the finished requests of a batch used, read line by line from its output with the readers of ordinary answers. Reading
// the same output again gives the same sum.
import { TOKEN_CLASSES } from '#contract/token-classes.ts';
import { usageOf, type Surcharge, type Usage } from '#server/billing/usage.ts';
import { isObject, type Json } from '#server/formats/json.ts';
import { usageInAnswer, type Measured } from '#server/relay/answer/whole-usage.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Format } from '#server/formats/format.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { messagesEndpoint, relayEndpoints } from '#server/relay/request/endpoints.ts';
import { openContent } from './content.ts';
import { LineSplitter, turns } from './lines.ts';
import type { BatchInput } from './requests.ts';

export interface OutputUsage {
  readonly usage: Usage;
  /** At least one answer had no report of its usage. */
  readonly estimated: boolean;
  /** Requests with an answer; only they are charged. */
  readonly answered: number;
}

const keptText = 8192;
/** With members one object deep. In the answer's own texts the quotes have backslashes. */
const report = /"usage"\s*:\s*(\{(?:[^{}]|\{[^{}]*\})*\})/g;

/** Beginning and end of a line that is too long to be kept: the report of its usage is there. */
export class LongLine {
  #head = '';
  #tail = '';

  add(piece: string): void {
    if (this.#head.length < keptText) this.#head += piece.slice(0, keptText - this.#head.length);
    this.#tail = (this.#tail + piece.slice(-keptText)).slice(-keptText);
  }

  get usage(): Json | undefined {
    const [, text] = [...`${this.#head}\n${this.#tail}`.matchAll(report)].at(-1) ?? [];
    try {
      const value: unknown = JSON.parse(text ?? 'null');
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

export class UsageSum {
  readonly #measured: Measured;
  #sum: Usage = usageOf({ pieces: 0 });
  readonly #surcharges = new Map<string, Surcharge>();
  #answered = 0;
  #estimated = false;

  constructor(input: Pick<BatchInput, 'path' | 'promptTokens' | 'requests'>) {
    const endpoint = relayEndpoints.find(({ path }) => path === input.path) ?? messagesEndpoint;
    // Which request an answer belongs to is not known here: one without a report counts as an average one.
    const promptTokens = Math.ceil(input.promptTokens / Math.max(1, input.requests));
    const unreported = usageOf({ input: promptTokens });
    const estimate = { promptTokens, pieces: 1, choices: 1, unreported, isExact: false, most: unreported };
    this.#measured = { prepared: { endpoint, estimate } };
  }

  add(answer: Json): void {
    const { usage, estimated } = usageInAnswer(this.#measured, { json: answer, converted: undefined });
    this.#add(usage, estimated);
  }

  /** An answer that is too long to be read. */
  addUnread(): void {
    this.#add(this.#measured.prepared.estimate.unreported, true);
  }

  addLong({ usage }: LongLine): void {
    if (usage === undefined) this.addUnread();
    else this.add({ usage });
  }

  #add(usage: Usage, estimated: boolean): void {
    for (const name of TOKEN_CLASSES) this.#sum[name] += usage[name];
    this.#sum.pieces += usage.pieces;
    for (const surcharge of usage.surcharges) {
      const key = `${surcharge.name} ${surcharge.dollarsEach}`;
      const known = this.#surcharges.get(key);
      if (known === undefined) this.#surcharges.set(key, { ...surcharge });
      else known.count += surcharge.count;
    }
    this.#answered += 1;
    this.#estimated ||= estimated;
  }

  get result(): OutputUsage {
    const usage = { ...this.#sum, surcharges: [...this.#surcharges.values()] };
    return { usage, estimated: this.#estimated, answered: this.#answered };
  }
}

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
  if (answer !== undefined) sum.add(answer);
}
