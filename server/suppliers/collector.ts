// Counts sampled answers by channel, model and group of users. The relay's part is a look at a bucket of tokens and, for long
// prompts, one hash; texts are read and recounted after the call has ended. Only a bounded number of answers is observed.
import { unixSeconds } from '#contract/time.ts';
import { completionTokens, promptTokens, usageOf } from '#server/money/prices/usage.ts';
import { estimateTokens } from '#server/relay/request/estimate.ts';
import type { AnswerObserver, ObservedAnswer } from '#server/relay/call/answer-observer.ts';
import { addCell, addEvidence, addName, emptyCell, type Cell, type Evidence } from './cell.ts';
import { addTo } from './histogram.ts';
import { isSameModel } from './model-names.ts';
import { LEAST_PROMPT_TOKENS, type PromptMemory } from './prompt-memory.ts';
import { beginningOf, hasCacheMark, kindOfText, promptTexts } from './request-text.ts';

/** A signal counts only when several groups of users see it: one user can send odd prompts, but not for everyone. */
export const USER_GROUPS = 4;

/** Answers of a channel and model that are observed at once, and per second after that. */
const BURST_PER_MODEL = 240;
const PER_MODEL_SECOND = 0.2;
/** The same for all of them together: bounds what the checks cost. */
const BURST_OF_ALL = 2000;
const PER_SECOND_OF_ALL = 8;
const MOST_CELLS = 4000;
/** Fewer tokens say little about a ratio. */
const LEAST_TOKENS = 32;
const LONGEST_PROMPT = 64 * 1024;

export interface CellKey {
  channelId: number;
  model: string;
  userGroup: number;
}

export interface Collector extends AnswerObserver {
  /** What was counted since the last call. */
  take(): [CellKey, Cell][];
  /** Forgets what was counted of cache reads since the last `take`: another process may have sent these prompts before. */
  forgetReads(): void;
  /** Counts again what could not be written. */
  putBack(cells: readonly [CellKey, Cell][]): void;
}

export interface CollectorParts {
  memory: PromptMemory;
  isOn(): boolean;
  /** The channel adds to prompts: they are not recounted. */
  addsToPrompt: (channelId: number) => boolean;
  /** Milliseconds of a clock that never goes back. */
  clock?: () => number;
  /** Runs work after the call. */
  later?: (work: () => void) => void;
}

interface Model {
  tokens: number;
  at: number;
  groups: (Cell | undefined)[];
}

export function createCollector(parts: CollectorParts): Collector {
  const { memory, clock = () => performance.now(), later = setImmediate } = parts;
  const channels = new Map<number, Map<string, Model>>();
  let modelCount = 0;
  let allTokens = BURST_OF_ALL;
  let allAt = clock();

  function modelOf(channelId: number, model: string): Model | undefined {
    let models = channels.get(channelId);
    if (models === undefined) channels.set(channelId, (models = new Map()));
    let found = models.get(model);
    if (found === undefined) {
      if (modelCount >= MOST_CELLS) return undefined;
      modelCount += 1;
      models.set(model, (found = { tokens: BURST_PER_MODEL, at: clock(), groups: [] }));
    }
    return found;
  }

  function cellOf(channelId: number, model: string, userGroup: number): Cell | undefined {
    const found = modelOf(channelId, model);
    return found && (found.groups[userGroup] ??= emptyCell());
  }

  return {
    began(request) {
      if (!parts.isOn() || request.estimate.promptTokens < LEAST_PROMPT_TOKENS) return undefined;
      const beginning = beginningOf(request.fields);
      return beginning === undefined ? undefined : memory.isNew(beginning);
    },
    samples(channelId, model) {
      if (!parts.isOn()) return false;
      const found = modelOf(channelId, model);
      if (found === undefined) return false;
      const now = clock();
      found.tokens = Math.min(BURST_PER_MODEL, found.tokens + ((now - found.at) * PER_MODEL_SECOND) / 1000);
      found.at = now;
      if (found.tokens < 1) return false;
      allTokens = Math.min(BURST_OF_ALL, allTokens + ((now - allAt) * PER_SECOND_OF_ALL) / 1000);
      allAt = now;
      if (allTokens < 1) return false;
      found.tokens -= 1;
      allTokens -= 1;
      return true;
    },
    answered(answer) {
      // Every other end has a reason on this side: the caller left, the balance ended, the database was away.
      if (answer.ending !== 'complete' && answer.ending !== 'broken') return;
      later(() => {
        const cell = cellOf(answer.channelId, answer.model, answer.userId % USER_GROUPS);
        if (cell !== undefined) count(cell, answer, parts.addsToPrompt(answer.channelId));
      });
    },
    take() {
      const taken: [CellKey, Cell][] = [];
      for (const [channelId, models] of channels) {
        for (const [model, { groups }] of models) {
          for (const [userGroup, cell] of groups.entries())
            if (cell !== undefined) taken.push([{ channelId, model, userGroup }, cell]);
          groups.length = 0;
        }
      }
      // Names of models come from callers' requests: idle ones must not fill the map for ever.
      if (modelCount >= MOST_CELLS) {
        channels.clear();
        modelCount = 0;
      }
      return taken;
    },
    forgetReads() {
      for (const models of channels.values())
        for (const { groups } of models.values())
          for (const cell of groups) if (cell !== undefined) forgetReadsOf(cell);
    },
    putBack(cells) {
      for (const [{ channelId, model, userGroup }, cell] of cells) {
        const found = modelOf(channelId, model);
        if (found !== undefined) addCell((found.groups[userGroup] ??= emptyCell()), cell);
      }
    },
  };
}

function forgetReadsOf(cell: Cell): void {
  cell.newPrompts = 0;
  cell.unfoundedReads = 0;
  cell.evidence = cell.evidence.filter(({ signal }) => signal !== 'reads');
}

function count(cell: Cell, answer: ObservedAnswer, addsToPrompt: boolean): void {
  const { model, namedModel, requestId } = answer;
  const prove = (
    signal: Evidence['signal'],
    claimed: Evidence['claimed'],
    counted: Evidence['counted'],
  ): void => addEvidence(cell, { signal, requestId, at: unixSeconds(), claimed, counted });

  cell.answers += 1;
  if (namedModel !== undefined && namedModel !== '') {
    cell.named += 1;
    if (!isSameModel(model, namedModel)) {
      const name = namedModel.slice(0, 100);
      cell.otherNames += 1;
      addName(cell, name);
      prove('name', name, model);
    }
  }
  if (answer.ending === 'broken') {
    cell.cut += 1;
    prove('cut', 'no end', 'cut');
    return;
  }
  countSpeed(cell, answer);
  if (answer.reported === undefined) {
    cell.unreported += 1;
    return;
  }
  if (!addsToPrompt) {
    countReads(cell, answer, prove);
    countInput(cell, answer, prove);
  }
  countWrites(cell, answer, prove);
  countOutput(cell, answer, prove);
}

type Prove = (signal: Evidence['signal'], claimed: Evidence['claimed'], counted: Evidence['counted']) => void;

function countSpeed(cell: Cell, { stream, reported }: ObservedAnswer): void {
  if (stream === undefined) return;
  // Some upstreams send a first event before the model reasons, others after it: only the whole time can be compared.
  const isReasoned = reported !== undefined && reported.reasoning > 0;
  if (!isReasoned) addTo(cell.firstToken, Math.max(1, stream.firstTokenMilliseconds));
  const milliseconds = stream.milliseconds + (isReasoned ? stream.firstTokenMilliseconds : 0);
  const tokens = reported === undefined ? 0 : reported.output + reported.reasoning;
  // A short answer comes in one piece: its speed is that of the network.
  if (tokens >= LEAST_TOKENS && milliseconds >= 50) addTo(cell.speed, (tokens * 1000) / milliseconds);
}

/**
 * A read that is longer than the beginning that was compared must contain it. A read of less than half of the prompt may be
 * a beginning that the upstream shares between its customers.
 */
function countReads(cell: Cell, { isNewPrompt, reported }: ObservedAnswer, prove: Prove): void {
  if (reported === undefined || isNewPrompt !== true) return;
  const { cacheRead } = reported;
  cell.newPrompts += 1;
  if (cacheRead < LEAST_PROMPT_TOKENS || cacheRead <= promptTokens(usageOf(reported)) / 2) return;
  cell.unfoundedReads += 1;
  prove('reads', cacheRead, 0);
}

/** Requests with a mark are looked for only where a write is claimed: the others dilute the share a little. */
function countWrites(cell: Cell, { reported, request }: ObservedAnswer, prove: Prove): void {
  if (reported === undefined) return;
  const writes = reported.cacheWrite5m + reported.cacheWrite1h;
  if (writes > 0 && hasCacheMark(request.fields)) return;
  cell.unmarked += 1;
  if (writes === 0) return;
  cell.unaskedWrites += 1;
  prove('writes', writes, 0);
}

function countInput(cell: Cell, { reported, request }: ObservedAnswer, prove: Prove): void {
  const { promptTokens: counted } = request.estimate;
  if (reported === undefined || counted < LEAST_TOKENS) return;
  const { text, isPlain } = promptTexts(request.fields, LONGEST_PROMPT);
  const kind = isPlain && text.length < LONGEST_PROMPT ? kindOfText(text) : undefined;
  if (kind === undefined) return;
  const claimed = promptTokens(usageOf(reported));
  addTo(cell[`input_${kind}`], claimed / counted);
  if (claimed >= 1.3 * counted) prove('input', claimed, counted);
}

/** Reasoning that is not shown cannot be recounted. */
function countOutput(cell: Cell, { reported, texts }: ObservedAnswer, prove: Prove): void {
  if (reported === undefined || texts === undefined) return;
  if (reported.reasoning > 0) {
    cell.reasoned += 1;
    return;
  }
  const claimed = completionTokens(usageOf(reported));
  const text = texts().join('');
  // Of a short text only a claim far above it says something.
  const counted = Math.max(estimateTokens(text), claimed >= 4 * LEAST_TOKENS ? LEAST_TOKENS : 0);
  const kind = counted < LEAST_TOKENS ? undefined : kindOfText(text);
  if (kind === undefined) return;
  addTo(cell[`output_${kind}`], claimed / counted);
  if (claimed >= 1.3 * counted) prove('output', claimed, counted);
}
