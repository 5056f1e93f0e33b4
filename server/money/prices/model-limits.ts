// How much one answer of a model can have and how fast it can come: the operator's number, else the price list's, else that of the
// model's family. Holds cover it, and an upstream that reports more is not believed.
import type { ModelLimit } from '#contract/setting-shapes.ts';
import { builtInPrice } from './price-list/index.ts';

export interface ModelLimits {
  /** Tokens of the largest answer, with all of its reasoning but `besideTokens`. */
  readonly answerTokens: number;
  /** False: nothing is known of the model, and the number is a guess. */
  readonly isAnswerKnown: boolean;
  /** Tokens of the largest prompt; undefined when it is not known. */
  readonly contextTokens: number | undefined;
  /** The fastest that any upstream of the model produces tokens. */
  readonly tokensPerSecond: number;
  /** What a second of hidden output is charged when a call ends without a report. */
  readonly hiddenTokensPerSecond: number;
  /** Its upstreams count reasoning inside the limit of an answer; others may count it beside. */
  readonly limitsReasoning: boolean;
  /** Reasoning that comes with each answer and that no limit of the answer bounds; 0: none is known. */
  readonly besideTokens: number;
  /** It thinks without sending its thoughts, also in calls that do not ask for reasoning. */
  readonly isReasoning: boolean;
}

export type ModelLimitSettings = Readonly<Record<string, ModelLimit>>;

/** The key of the setting that is used for all models without an entry. */
const EVERY_MODEL = '*';

const USUAL_TOKENS_PER_SECOND = 500;
/** A slow model's speed, so that no user pays for more than was used. */
const HIDDEN_TOKENS_PER_SECOND = 50;
const GUESSED_ANSWER_TOKENS = 32_768;

interface Family {
  readonly names: RegExp;
  readonly answerTokens: number;
  readonly isReasoning: boolean;
  readonly limitsReasoning?: true;
  readonly besideTokens?: number;
}

/** The first match counts. A version that is newer than the known ones has the limits of the newest known. */
const FAMILIES: readonly Family[] = [
  { names: /^(?:o\d|gpt-(?:[5-9]|\d\d))/, answerTokens: 128_000, isReasoning: true, limitsReasoning: true },
  { names: /^(?:gpt|chatgpt)-/, answerTokens: 32_768, isReasoning: false, limitsReasoning: true },
  { names: /^claude-(?:instant|2|3-(?!7)|3\.)/, answerTokens: 8192, isReasoning: false },
  { names: /^claude/, answerTokens: 128_000, isReasoning: false, limitsReasoning: true },
  { names: /^gemini-(?:1|2\.0)/, answerTokens: 8192, isReasoning: false },
  { names: /^gemini/, answerTokens: 65_536, isReasoning: true, limitsReasoning: true },
  { names: /^grok-(?:[4-9]|\d\d)/, answerTokens: 131_072, isReasoning: true },
  // DeepSeek's guide of R1: `max_tokens` is the length of the final answer (8K at most), and up to 32K of reasoning come beside it.
  // Other hosts of the weights (SiliconFlow) give 16K and 32K, counted in the same way.
  { names: /^deepseek-r1/, answerTokens: 16_384, besideTokens: 32_768, isReasoning: false },
  { names: /^deepseek/, answerTokens: 65_536, isReasoning: false },
  {
    names: /^(?:qwen|qwq|glm|kimi|moonshot|minimax|doubao|magistral)/,
    answerTokens: 65_536,
    isReasoning: false,
  },
];

const known = new WeakMap<ModelLimitSettings, Map<string, ModelLimits>>();
const MOST_KNOWN = 10_000;

/** Remembered for each version of the setting. */
export function modelLimits(settings: ModelLimitSettings, model: string): ModelLimits {
  let byModel = known.get(settings);
  if (byModel === undefined) known.set(settings, (byModel = new Map()));
  let limits = byModel.get(model);
  if (limits === undefined) {
    // Callers choose model names.
    if (byModel.size >= MOST_KNOWN) byModel.clear();
    byModel.set(model, (limits = resolveLimits(settings, model)));
  }
  return limits;
}

/** A model called `constructor` must not find an entry on the prototype. */
function entryOf(settings: ModelLimitSettings, name: string): ModelLimit | undefined {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

function resolveLimits(settings: ModelLimitSettings, model: string): ModelLimits {
  const own = { ...entryOf(settings, EVERY_MODEL), ...entryOf(settings, model) };
  const listed = builtInPrice(model);
  // `vendor/model`, as routers name them.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const family = FAMILIES.find(({ names }) => names.test(name));
  const answerTokens = own.answer ?? listed?.maxOutput ?? family?.answerTokens;
  const tokensPerSecond = own.speed ?? USUAL_TOKENS_PER_SECOND;
  return {
    answerTokens: answerTokens ?? GUESSED_ANSWER_TOKENS,
    isAnswerKnown: answerTokens !== undefined,
    contextTokens: own.context ?? listed?.context,
    tokensPerSecond,
    hiddenTokensPerSecond: Math.min(own.hidden ?? HIDDEN_TOKENS_PER_SECOND, tokensPerSecond),
    limitsReasoning: family?.limitsReasoning ?? false,
    besideTokens: family?.besideTokens ?? 0,
    isReasoning: family?.isReasoning ?? false,
  };
}
