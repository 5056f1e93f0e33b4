// What models behind this format accept, by their name. An unknown model counts as accepting the common fields. What
// OpenAI's own accept is in openai-models.ts.
import type { Origin } from '#server/models/formats/canonical.ts';
import { openAiModel, type OpenAiModel } from '#server/models/formats/openai-models.ts';

/** Models that cache prompts on request; others decide by themselves and may refuse the field. */
const KEEPS_PROMPTS = /claude|gemini|qwen|minimax|nova/i;
/** The issuer whose signatures a model accepts, also behind a service with models of several vendors. */
const SIGNATURE_ISSUERS: readonly (readonly [Origin, RegExp])[] = [
  ['anthropic', /claude/i],
  ['google', /gemini/i],
  ['openai', /\/(o\d|gpt-\d)/],
];

/** The longest answer of models that refuse a higher limit. */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  [/(^|\/)(gpt-4o|chatgpt-4o)/, 16_384],
  [/(^|\/)gpt-4\.1/, 32_768],
  [/(^|\/)gpt-4-turbo/, 4096],
  [/(^|\/)gpt-4($|-\d)/, 8192],
  [/(^|\/)gpt-3\.5/, 4096],
  [/(^|\/)deepseek-chat/, 8192],
];

export interface ModelFacts extends OpenAiModel {
  keepsPrompts: boolean;
  mostTokens: number;
  acceptsSignaturesOf(origin: Origin): boolean;
}

export function factsOf(model: string): ModelFacts {
  return {
    ...openAiModel(model),
    keepsPrompts: KEEPS_PROMPTS.test(model),
    mostTokens: LIMITS.find(([name]) => name.test(model))?.[1] ?? Number.POSITIVE_INFINITY,
    acceptsSignaturesOf: (origin) =>
      SIGNATURE_ISSUERS.some(([issuer, name]) => issuer === origin && name.test(model)),
  };
}
