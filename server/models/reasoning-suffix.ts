// Suffixes of model names that set the reasoning effort: `o3-mini-high`, `claude-…-thinking-8192`,
// `gemini-2.5-flash-nothinking`. Only for families whose own names never end so, and only towards formats that have a
// parameter for it.
import { factsOf } from '#server/models/formats/anthropic-messages/models.ts';
import type { CanonicalReasoning } from '#server/models/formats/canonical.ts';
import { budgetOfEffort } from '#server/models/formats/effort.ts';
import { isObject } from '#server/models/formats/json.ts';
import { effortForBudget, openAiModel } from '#server/models/formats/openai-models.ts';
import type { Format } from '#server/models/providers/provider.ts';

export interface Suffixed {
  /** The model's name without the suffix. */
  readonly model: string;
  readonly family: 'openai' | 'claude' | 'gemini';
  /** `none`: reasoning off. */
  readonly effort: string | undefined;
  readonly budgetTokens: number | undefined;
}

const FAMILIES: readonly { family: Suffixed['family']; name: RegExp; suffix: RegExp }[] = [
  {
    family: 'openai',
    name: /^(?:[\w-]+\/)?(?:o|gpt-)\d/,
    // Not `max`, which is a model of its own.
    suffix: /-(none|minimal|low|medium|high|xhigh)$/,
  },
  {
    family: 'claude',
    name: /^(?:[\w-]+\/)?claude-/,
    suffix: /-(low|medium|high|xhigh|max|nothinking|thinking(?:-\d{1,6})?)$/,
  },
  {
    family: 'gemini',
    name: /^(?:[\w-]+\/)?gemini-/,
    suffix: /-(minimal|low|medium|high|nothinking|thinking(?:-\d{1,6})?)$/,
  },
];

const remembered = new Map<string, Suffixed | undefined>();

export function readSuffix(model: string): Suffixed | undefined {
  if (remembered.has(model)) return remembered.get(model);
  const found = findSuffix(model);
  if (remembered.size >= 10_000) remembered.clear();
  remembered.set(model, found);
  return found;
}

function findSuffix(model: string): Suffixed | undefined {
  for (const { family, name, suffix } of FAMILIES) {
    if (!name.test(model)) continue;
    const found = suffix.exec(model);
    const word = found?.[1];
    if (found === null || word === undefined) return undefined;
    const bare = model.slice(0, found.index);
    if (family === 'openai' && !openAiModel(bare).isReasoning) return undefined;
    if (word === 'nothinking') return { model: bare, family, effort: 'none', budgetTokens: undefined };
    if (!word.startsWith('thinking')) return { model: bare, family, effort: word, budgetTokens: undefined };
    const budget = word === 'thinking' ? undefined : Number(word.slice('thinking-'.length));
    return { model: bare, family, effort: undefined, budgetTokens: budget };
  }
  return undefined;
}

const FORMATS_OF: Readonly<Record<Suffixed['family'], readonly Format[]>> = {
  openai: ['openai-chat', 'openai-responses'],
  claude: ['anthropic-messages', 'own'],
  gemini: ['gemini-generate'],
};

/** The suffix, if upstreams of this format would not know the name with it. */
export function suffixFor(format: Format, model: string): Suffixed | undefined {
  const found = readSuffix(model);
  return found !== undefined && FORMATS_OF[found.family].includes(format) ? found : undefined;
}

/** The budget when neither suffix nor request sets one. */
const USUAL_BUDGET_TOKENS = 8192;
const LEAST_BUDGET_TOKENS = 1024;

export function canonicalReasoning({ effort, budgetTokens }: Suffixed): CanonicalReasoning {
  if (effort !== undefined) return { effort };
  return { budgetTokens: Math.max(LEAST_BUDGET_TOKENS, budgetTokens ?? USUAL_BUDGET_TOKENS) };
}

type Fields = Readonly<Record<string, unknown>>;

/** The body members equivalent to the suffix; undefined removes one. */
export function suffixMembers(format: Format, fields: Fields, suffix: Suffixed): Record<string, unknown> {
  switch (format) {
    case 'openai-chat':
      return { reasoning_effort: openAiEffort(suffix) };
    case 'openai-responses': {
      const given = isObject(fields['reasoning']) ? fields['reasoning'] : {};
      return { reasoning: { ...given, effort: openAiEffort(suffix) } };
    }
    case 'anthropic-messages':
      return claudeMembers(fields, suffix);
    case 'gemini-generate':
      return geminiMembers(fields, suffix);
    default:
      return {};
  }
}

const openAiEffort = ({ model, effort, budgetTokens }: Suffixed): string | undefined =>
  effort ?? effortForBudget(budgetTokens ?? USUAL_BUDGET_TOKENS, model);

function claudeMembers(fields: Fields, { model, effort, budgetTokens }: Suffixed) {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (effort !== undefined) {
    const config = isObject(fields['output_config']) ? fields['output_config'] : {};
    return { output_config: { ...config, effort } };
  }
  // Newer models choose the length themselves and refuse a token budget.
  if (factsOf(model).isAdaptive) return { thinking: { type: 'adaptive' } };
  const limit = typeof fields['max_tokens'] === 'number' ? fields['max_tokens'] : 0;
  const budget = Math.max(LEAST_BUDGET_TOKENS, budgetTokens ?? Math.floor(limit * 0.8));
  return {
    thinking: { type: 'enabled', budget_tokens: budget },
    // Reasoning counts against `max_tokens`, and upstreams refuse a limit below the budget.
    max_tokens: limit > budget ? limit : budget + Math.max(limit, LEAST_BUDGET_TOKENS),
    // Upstreams refuse a temperature while reasoning.
    temperature: undefined,
    top_k: undefined,
    top_p: undefined,
  };
}

function geminiMembers(fields: Fields, { model, effort, budgetTokens }: Suffixed) {
  const config = isObject(fields['generationConfig']) ? fields['generationConfig'] : {};
  const isLevelled = /gemini-(?:[3-9]|\d{2})/.test(model);
  const thinking =
    effort === 'none'
      ? { thinkingBudget: 0 }
      : effort !== undefined && isLevelled
        ? { thinkingLevel: effort.toUpperCase() }
        : effort !== undefined
          ? { thinkingBudget: budgetOfEffort(effort), includeThoughts: true }
          : {
              ...(budgetTokens === undefined ? {} : { thinkingBudget: budgetTokens }),
              includeThoughts: true,
            };
  return { generationConfig: { ...config, thinkingConfig: thinking } };
}
