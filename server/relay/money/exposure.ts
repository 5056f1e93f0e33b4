// The most that a call can cost, so that its answer never costs more than its hold. How long an answer can be is the caller's
// limit or the model's largest answer; what cannot be known before (the class of a token, the size of an attachment, tools that
// the upstream runs) is held at its dearest.
import { holdFor } from '#server/money/prices/charge.ts';
import type { ModelLimits } from '#server/money/prices/model-limits.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { searchesOf } from '#server/money/prices/tiers.ts';
import { promptTokens as promptTokensOf, type Usage } from '#server/money/prices/usage.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isAnthropicClientTool } from '#server/models/formats/foreign-items.ts';
import { isObject } from '#server/models/formats/json.ts';
import { clientToolOf } from '#server/models/formats/openai-responses/client-tools.ts';
import { promptTokens } from '#server/models/formats/openai-usage.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';

/** Input that tools run by the upstream can add: pages that were found, output of programs. */
const TOOL_INPUT_TOKENS = 64_000;
/** A call that names no number may search so often. */
const USUAL_SEARCHES = 10;
/** A limit is lowered to no less than this, unless the caller asked for less. */
const LEAST_ANSWER_TOKENS = 256;
/** The limit that is sent for a model whose largest answer is not known, when the caller gave none: a larger one might be refused. */
const LARGEST_GUESS = 8192;

/** A class, not closures: one is made per call. */
export class Exposure {
  readonly #prepared: PreparedCall;
  readonly #price: PriceSnapshot;
  readonly limits: ModelLimits;
  readonly #smallestHold: number;
  #most: Usage | undefined;
  #runsTools: boolean | undefined;

  constructor(prepared: PreparedCall, price: PriceSnapshot, limits: ModelLimits, smallestHold: number) {
    this.#prepared = prepared;
    this.#price = price;
    this.limits = limits;
    this.#smallestHold = smallestHold;
  }

  /** Output tokens of all answers together; 0 where the endpoint has no such limit. */
  get outputTokens(): number {
    const { endpoint, outputLimit, estimate } = this.#prepared;
    if (endpoint.outputLimits.length === 0) return 0;
    const { answerTokens, besideTokens } = this.limits;
    return ((outputLimit ?? answerTokens) + besideTokens) * estimate.choices;
  }

  /** The smallest output that the limit of a call may be lowered to. */
  get leastOutputTokens(): number {
    const { estimate, fields } = this.#prepared;
    // Upstreams refuse a limit that is not above the thinking budget.
    const thinking = thinkingBudget(fields) + this.limits.besideTokens;
    const least = (thinking + LEAST_ANSWER_TOKENS) * estimate.choices;
    return Math.min(least, this.outputTokens);
  }

  /** The model may reason for a long time without sending its reasoning, or send only a summary of it. */
  get mayHideOutput(): boolean {
    return this.limits.isReasoning || asksForThinking(this.#prepared);
  }

  /** Or the upstream runs tools, whose turns are not sent either. */
  get mayBeSilent(): boolean {
    return this.mayHideOutput || this.#hasTools;
  }

  get #hasTools(): boolean {
    return (this.#runsTools ??= runsTools(this.#prepared.fields));
  }

  /** Of all answers together. */
  get tokensPerSecond(): number {
    return this.limits.tokensPerSecond * this.#prepared.estimate.choices;
  }

  get hiddenTokensPerSecond(): number {
    return this.limits.hiddenTokensPerSecond * this.#prepared.estimate.choices;
  }

  /** The hold for so many tokens of output. A prompt that the upstream has counted is not estimated any more. */
  costOf(outputTokens: number, reported?: CanonicalUsage): number {
    this.#most ??= mostOf(this.#prepared, this.#price, this.limits, this.#hasTools);
    const isCounted = reported !== undefined && promptTokens(reported) > 0;
    const most = isCounted ? this.#countedPrompt(this.#most, reported) : this.#most;
    const name = dearestOutput(this.#prepared, this.#price);
    const usage = { ...most };
    usage[name] += outputTokens;
    return holdFor(this.#price, { usage, smallestHold: this.#smallestHold });
  }

  #countedPrompt(most: Usage, reported: CanonicalUsage): Usage {
    const { input, cacheRead, cacheWrite5m, cacheWrite1h, imageInput, audioInput } = reported;
    const counted = { ...most, input, cacheRead, cacheWrite5m, cacheWrite1h, imageInput, audioInput };
    if (!this.#hasTools) return counted;
    // The tools may not have read their pages yet.
    const unread = Math.max(0, promptTokensOf(most) - promptTokens(reported));
    const name = dearestInput(this.#prepared, this.#price);
    return { ...counted, [name]: counted[name] + unread };
  }

  /** How much output a hold of this amount pays for, up to `most` tokens. */
  tokensFor(amount: number, most: number): number {
    let low = 0;
    let high = most;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.costOf(middle) <= amount) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The limit to send for so many tokens of output in all answers. */
  limitFor(outputTokens: number): number {
    const { estimate, outputLimit } = this.#prepared;
    const limit = Math.floor(outputTokens / estimate.choices) - this.limits.besideTokens;
    const isGuess = outputLimit === undefined && !this.limits.isAnswerKnown;
    return isGuess ? Math.min(limit, LARGEST_GUESS) : limit;
  }
}

function mostOf(
  prepared: PreparedCall,
  price: PriceSnapshot,
  { contextTokens }: ModelLimits,
  hasTools: boolean,
): Usage {
  const { estimate, fields } = prepared;
  const { most } = estimate;
  // Of a stream too: pages come in less time than a hold needs to grow.
  const added = hasTools ? TOOL_INPUT_TOKENS : 0;
  const tokens = Math.max(
    most.input,
    Math.min(most.input + added, contextTokens ?? Number.POSITIVE_INFINITY),
  );
  const searches = price.search === undefined ? 0 : hasTools ? mostSearches(fields) : 1;
  const name = dearestInput(prepared, price);
  return { ...most, input: 0, [name]: tokens, surcharges: searchesOf(searches) };
}

type InputClass = 'input' | 'cacheWrite5m' | 'cacheWrite1h';
export type OutputClass = 'output' | 'reasoning' | 'audioOutput';

/** A prompt that is written into the upstream's cache may cost more than one that is only read. */
function dearestInput(prepared: PreparedCall, price: PriceSnapshot): InputClass {
  if (price.kind !== 'ratio') return 'input';
  const { cacheWriteRatio, cacheWrite1hRatio } = price;
  if (cacheWriteRatio <= 1 && cacheWrite1hRatio <= 1) return 'input';
  const written = prepared.cacheWrites?.();
  if (written === undefined) return 'input';
  if (written === '1h' && cacheWrite1hRatio > Math.max(1, cacheWriteRatio)) return 'cacheWrite1h';
  return cacheWriteRatio > 1 ? 'cacheWrite5m' : 'input';
}

function dearestOutput({ fields }: PreparedCall, price: PriceSnapshot): OutputClass {
  return dearestClass(price, () => asksForAudio(fields));
}

/** The class of output that costs most, of an answer that may speak or only writes. */
export function dearestClass(price: PriceSnapshot, maySpeak: () => boolean): OutputClass {
  if (price.kind !== 'ratio') return 'output';
  const { completionRatio, reasoningRatio, audioRatio, audioCompletionRatio } = price;
  const text = Math.max(completionRatio, reasoningRatio);
  if (audioRatio * audioCompletionRatio > text && maySpeak()) return 'audioOutput';
  return reasoningRatio > completionRatio ? 'reasoning' : 'output';
}

type Fields = PreparedCall['fields'];

const configOf = (fields: Fields): Fields =>
  isObject(fields['generationConfig']) ? fields['generationConfig'] : {};

function asksForAudio(fields: Fields): boolean {
  const modalities = fields['modalities'] ?? configOf(fields)['responseModalities'];
  return Array.isArray(modalities) && modalities.some((each) => /^audio$/i.test(String(each)));
}

function asksForThinking({ fields, reasoningEffort }: PreparedCall): boolean {
  const { thinking } = fields;
  if (isObject(thinking) && thinking['type'] !== 'disabled') return true;
  if (isObject(configOf(fields)['thinkingConfig'])) return true;
  return reasoningEffort !== '' && reasoningEffort !== 'none';
}

function thinkingBudget({ thinking }: Fields): number {
  const budget = isObject(thinking) ? thinking['budget_tokens'] : undefined;
  return typeof budget === 'number' && Number.isSafeInteger(budget) && budget > 0 ? budget : 0;
}

/** Tools that the caller runs: what they do costs nothing here. */
const CALLERS_TOOLS = new Set(['function', 'custom', 'computer', 'computer_use_preview']);
const DECLARATIONS = new Set(['functionDeclarations', 'function_declarations']);

function isRunByCaller(tool: unknown): boolean {
  if (!isObject(tool)) return true;
  const { type } = tool;
  if (typeof type !== 'string') {
    // Gemini names its own tools by members, also beside functions; Anthropic's tools of the caller have a schema.
    const names = Object.keys(tool);
    return (
      isObject(tool['input_schema']) || (names.length > 0 && names.every((each) => DECLARATIONS.has(each)))
    );
  }
  if (CALLERS_TOOLS.has(type)) return true;
  if (type === 'namespace') return Array.isArray(tool['tools']) && tool['tools'].every(isRunByCaller);
  if (type === 'tool_search') return tool['execution'] === 'client';
  return clientToolOf(tool) !== undefined || isAnthropicClientTool(type);
}

/** The upstream may run a tool of its own: a search, a program, a remote server. */
function runsTools(fields: Fields): boolean {
  const { tools } = fields;
  if (isObject(fields['web_search_options'])) return true;
  if (!Array.isArray(tools)) return false;
  return tools.some((tool) => !isRunByCaller(tool));
}

function mostSearches({ tools }: Fields): number {
  let uses = 0;
  for (const tool of Array.isArray(tools) ? (tools as unknown[]) : []) {
    const most = isObject(tool) ? tool['max_uses'] : undefined;
    if (typeof most === 'number' && Number.isSafeInteger(most) && most > 0) uses += Math.min(most, 100);
  }
  return uses === 0 ? USUAL_SEARCHES : uses;
}
