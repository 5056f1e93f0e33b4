// What models behind this dialect accept. Only a name is known of them here: what no rule knows is taken to accept what
// everybody does.
import type { Origin } from '#server/formats/canonical.ts';

/** Models that keep prompts where asked; the others decide by themselves and may refuse the field. */
const keepsPrompts = /claude|gemini|qwen|minimax|nova/i;
/** OpenAI's reasoning models refuse `max_tokens`; many others know no other name. */
const reasoningModel = /(^|\/)(o\d|gpt-5|codex)/;
/** Models that take the newer fields of this API and refuse every other; who copies it may refuse the newer ones. */
const openAiModel = /(^|\/)(o\d|gpt-\d|chatgpt|codex)/;
const cannotThink = /(^|\/)(gpt-3|gpt-4|chatgpt)/;

/** Whose proofs a model understands: its maker's, through somebody who serves several makers' models. */
const proofs: readonly (readonly [Origin, RegExp])[] = [
  ['anthropic', /claude/i],
  ['google', /gemini/i],
  ['openai', /\/(o\d|gpt-\d)/],
];

/** The longest answer of models that refuse to be asked for more. */
const limits: readonly (readonly [RegExp, number])[] = [
  [/(^|\/)(gpt-4o|chatgpt-4o)/, 16_384],
  [/(^|\/)gpt-4\.1/, 32_768],
  [/(^|\/)gpt-4-turbo/, 4096],
  [/(^|\/)gpt-4($|-\d)/, 8192],
  [/(^|\/)gpt-3\.5/, 4096],
  [/(^|\/)deepseek-chat/, 8192],
];

export interface ModelFacts {
  keepsPrompts: boolean;
  isReasoning: boolean;
  isOpenAi: boolean;
  canThink: boolean;
  mostTokens: number;
  takesProofsOf(origin: Origin): boolean;
}

export function factsOf(model: string): ModelFacts {
  return {
    keepsPrompts: keepsPrompts.test(model),
    isReasoning: reasoningModel.test(model),
    isOpenAi: openAiModel.test(model),
    canThink: !cannotThink.test(model),
    mostTokens: limits.find(([name]) => name.test(model))?.[1] ?? Number.POSITIVE_INFINITY,
    takesProofsOf: (origin) => proofs.some(([maker, name]) => maker === origin && name.test(model)),
  };
}
