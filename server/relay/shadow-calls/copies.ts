// Copies a share of calls to another model (ADR 124): chosen when a call begins, made after its answer has ended and been settled. A copy
// waits for nobody and nobody waits for it: where the node is busy, the line is full, or the target has no place to spare, it is dropped
// and counted.
import { unixSeconds } from '#contract/time.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { AnswerFigures, CallCopies, CopiedCall } from '#server/relay/money/call-copies.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import { isOpen, openShadowBook, type Shadow } from './book.ts';
import { createShadowCounts, type ShadowCounts } from './counts.ts';
import { copiedFields, isPlainText, mayBeCopied } from './fit.ts';
import { makeCopy, type CopyParts, type WaitingCopy } from './make.ts';
import { LONGEST_TEXT } from './samples.ts';

export interface ShadowCalls extends CallCopies {
  /** How many wait and run. */
  readonly open: number;
  /** Writes what is counted. */
  flush(): Promise<void>;
  /** Ends those that run, and makes no more. */
  close(): Promise<void>;
}

/** Longer prompts are not copied: characters of the request. */
const LONGEST_REQUEST = 256 * 1024;
/** Calls that were chosen and have not ended yet; each may keep its answer in memory. */
const MOST_CHOSEN = 64;
/** A call that never said its end does not take its place for ever. */
const CHOSEN_FOR_MILLISECONDS = 3_600_000;
const MOST_WAITING = 16;
const MOST_WAITING_CHARACTERS = 4 * 1024 * 1024;
/** The caller's answer is on its way before the copy takes any time. */
const REST_MILLISECONDS = 25;
/** A gate that admits all calls is far above; one that refuses some is far below. */
const GATE_REFUSES_BELOW = 1_000_000;
/** Accounts that are known not to allow it; forgotten when users or settings change. */
const MOST_UNWILLING = 10_000;

/** Headers that an upstream of some format understands. */
const PASSED_HEADERS = ['openai-beta', 'anthropic-beta', 'anthropic-version'];

export async function openShadowCalls(core: Core): Promise<ShadowCalls> {
  const { store, settings, log } = core;
  const book = await openShadowBook(store, log);
  const counts = createShadowCounts(store, log);
  const unwilling = new Set<number>();
  const forget = () => unwilling.clear();
  const stops = [store.changes.subscribe('users', forget), store.changes.subscribe('settings', forget)];
  const line = new Line(core, counts, { core, counts, unwilling });

  return {
    choose(incoming, caller, prepared) {
      const shadows = book.current.get(incoming.model ?? prepared.model);
      if (shadows === undefined || unwilling.has(caller.userId)) return undefined;
      const shadow = drawn(shadows, caller, incoming, prepared);
      if (shadow === undefined || settings.current.ShadowCallsAtOnce === 0) return undefined;
      if (prepared.requestLength > LONGEST_REQUEST) counts.add(shadow.id, 'too_long');
      else if (unwilling.size >= MOST_UNWILLING) forget();
      else return line.choose(new Chosen(line, shadow, { incoming, caller, prepared }));
      return undefined;
    },
    get open() {
      return line.open;
    },
    flush: () => counts.flush(),
    async close() {
      for (const stop of stops) stop();
      book.close();
      await line.close();
      await counts.flush();
    },
  };
}

/** The first comparison that takes the call: one copy for a call at most. */
function drawn(
  shadows: readonly Shadow[],
  caller: Caller,
  { request }: Incoming,
  prepared: PreparedCall,
): Shadow | undefined {
  const now = unixSeconds();
  let fits: boolean | undefined;
  return shadows.find((shadow) => {
    if (!isOpen(shadow, caller.group, now)) return false;
    fits ??= mayBeCopied(caller, prepared, request.headers);
    return fits && Math.random() * 100 < shadow.share_percent;
  });
}

interface ChosenParts {
  readonly incoming: Incoming;
  readonly caller: Caller;
  readonly prepared: PreparedCall;
}

/** From the beginning of a call to the end of its answer. */
class Chosen implements CopiedCall {
  readonly chosenAt = performance.now();
  readonly shadow: Shadow;
  readonly #line: Line;
  readonly #parts: ChosenParts;
  readonly #headers = new Headers();
  #figures: AnswerFigures | undefined;

  constructor(line: Line, shadow: Shadow, parts: ChosenParts) {
    this.shadow = shadow;
    this.#line = line;
    this.#parts = parts;
    // Read now: the platform forgets a request once it is answered.
    const { headers } = parts.incoming.request;
    for (const name of PASSED_HEADERS) {
      const value = headers.get(name);
      if (value !== null) this.#headers.set(name, value);
    }
  }

  settled(figures: AnswerFigures): void {
    this.#figures = figures;
  }

  ended(texts: (() => readonly string[]) | undefined): void {
    const figures = this.#figures;
    const isWhole = figures !== undefined && figures.ending === '' && texts !== undefined;
    this.#line.ended(this, isWhole ? () => this.#waiting(figures, texts) : undefined);
  }

  /** Undefined: no prompt of text alone. */
  #waiting(figures: AnswerFigures, texts: () => readonly string[]): WaitingCopy | undefined {
    const { shadow } = this;
    const { incoming, caller, prepared } = this.#parts;
    if (!isPlainText(prepared.fields)) return undefined;
    const { endpoint, isStream } = prepared;
    const prompt = [...promptTexts(prepared.fields)].join('\n\n');
    const answer = texts().join('');
    return {
      shadow,
      requestId: incoming.requestId,
      owner: {
        userId: caller.userId,
        memberId: caller.organization?.memberId ?? 0,
        group: caller.group,
      },
      figures,
      request: {
        endpoint,
        isStream,
        text: JSON.stringify(copiedFields(prepared, shadow.target_model)),
        headers: this.#headers,
        outputLimit: prepared.outputLimit,
      },
      prompt: prompt.slice(0, LONGEST_TEXT),
      answer: answer.slice(0, LONGEST_TEXT),
      isCut: prompt.length > LONGEST_TEXT || answer.length > LONGEST_TEXT,
    };
  }
}

const sizeOf = ({ request, prompt, answer }: WaitingCopy): number =>
  request.text.length + prompt.length + answer.length;

/** The copies that wait and run on this node. */
class Line {
  readonly #core: Core;
  readonly #counts: ShadowCounts;
  readonly #parts: Omit<CopyParts, 'running'>;
  /** In the order in which they were chosen. */
  readonly #chosen = new Set<Chosen>();
  readonly #waiting: WaitingCopy[] = [];
  readonly #running = new Set<{ stop(): void }>();
  #characters = 0;
  #runs = 0;
  #resting = 0;
  #isClosed = false;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(core: Core, counts: ShadowCounts, parts: Omit<CopyParts, 'running'>) {
    this.#core = core;
    this.#counts = counts;
    this.#parts = parts;
  }

  get open(): number {
    return this.#waiting.length + this.#runs + this.#resting;
  }

  get #isBusy(): boolean {
    const { isDraining, gate } = this.#core;
    return this.#isClosed || isDraining || gate.left < GATE_REFUSES_BELOW;
  }

  choose(chosen: Chosen): Chosen | undefined {
    const [oldest] = this.#chosen;
    if (oldest !== undefined && chosen.chosenAt - oldest.chosenAt > CHOSEN_FOR_MILLISECONDS)
      this.#chosen.delete(oldest);
    if (this.#chosen.size >= MOST_CHOSEN || this.#isBusy) {
      this.#counts.add(chosen.shadow.id, 'busy');
      return undefined;
    }
    this.#chosen.add(chosen);
    return chosen;
  }

  /** `copy` is made later, in a turn of its own. Undefined: the answer was not whole. */
  ended(chosen: Chosen, copy: (() => WaitingCopy | undefined) | undefined): void {
    if (!this.#chosen.delete(chosen) || copy === undefined) return;
    if (this.#isBusy || this.#resting + this.#waiting.length >= MOST_WAITING) {
      this.#counts.add(chosen.shadow.id, 'busy');
      return;
    }
    this.#resting += 1;
    setTimeout(() => {
      this.#resting -= 1;
      this.#line(chosen, copy);
    }, REST_MILLISECONDS);
  }

  #line(chosen: Chosen, make: () => WaitingCopy | undefined): void {
    try {
      const copy = this.#isBusy ? undefined : make();
      if (this.#isBusy) this.#counts.add(chosen.shadow.id, 'busy');
      if (copy === undefined) return;
      const size = sizeOf(copy);
      if (this.#characters + size > MOST_WAITING_CHARACTERS)
        return this.#counts.add(chosen.shadow.id, 'busy');
      this.#characters += size;
      this.#waiting.push(copy);
    } catch (error) {
      this.#core.log.warn('a call could not be copied', { shadow_id: chosen.shadow.id, error });
    } finally {
      this.#next();
    }
  }

  #next(): void {
    const atOnce = this.#core.settings.current.ShadowCallsAtOnce;
    while (this.#runs < Math.max(1, atOnce)) {
      const copy = this.#waiting.shift();
      if (copy === undefined) break;
      this.#runs += 1;
      void this.#run(copy);
    }
    if (this.open > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  async #run(copy: WaitingCopy): Promise<void> {
    try {
      if (this.#isBusy) this.#counts.add(copy.shadow.id, 'busy');
      else await makeCopy({ ...this.#parts, running: this.#running }, copy);
    } catch (error) {
      this.#core.log.warn('a copy of a call failed', { shadow_id: copy.shadow.id, error });
      this.#counts.add(copy.shadow.id, 'failed');
    }
    this.#runs -= 1;
    this.#characters -= sizeOf(copy);
    this.#next();
  }

  idle(): Promise<void> {
    if (this.open === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const running of this.#running) running.stop();
    await this.idle();
  }
}
