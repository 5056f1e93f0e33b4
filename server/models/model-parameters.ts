// Which parameters a model takes, by its name, for forms that offer every one of them and no other. Of a name that is not
// known nothing is left out: the upstream decides.
import { factsOf } from '#server/models/formats/anthropic-messages/models.ts';
import { thinksByWord, thinksNever } from '#server/models/formats/gemini-generate/encode-request.ts';
import { openAiModel, type OpenAiModel } from '#server/models/formats/openai-models.ts';

export interface ModelParameters {
  /** Temperature and top_p: taken always, only while the model does not reason, or never. */
  readonly sampling: 'always' | 'without_effort' | 'never';
  readonly highestTemperature: number;
  /** Takes temperature and top_p in one request. */
  readonly takesBothSamplings: boolean;
  readonly hasPenalties: boolean;
  readonly hasSeed: boolean;
  readonly hasStop: boolean;
  /** The reasoning efforts it accepts; empty when it takes none. */
  readonly efforts: readonly string[];
  /** The effort of a request without one. */
  readonly usualEffort: string;
  /** How its vendor's own format says it: a word, or a number of tokens. */
  readonly reasonsBy: 'effort' | 'budget';
  readonly hasVerbosity: boolean;
  /** The name of the limit on Chat. */
  readonly limitName: 'max_tokens' | 'max_completion_tokens';
}

const USUAL_EFFORTS = ['low', 'medium', 'high'];

const EVERYTHING: ModelParameters = {
  sampling: 'always',
  highestTemperature: 2,
  takesBothSamplings: true,
  hasPenalties: true,
  hasSeed: true,
  hasStop: true,
  efforts: USUAL_EFFORTS,
  usualEffort: '',
  reasonsBy: 'effort',
  hasVerbosity: false,
  limitName: 'max_tokens',
};

const CLAUDE_NAME = /(?:^|\/)claude/;
const GEMINI_NAME = /(?:^|\/)(?:gemini|gemma)-/;

export function parametersOf(model: string): ModelParameters {
  const openAi = openAiModel(model);
  if (openAi.isOpenAi) return ofOpenAi(openAi, model);
  if (CLAUDE_NAME.test(model)) return ofClaude(model);
  if (GEMINI_NAME.test(model)) {
    const efforts = thinksNever(model) ? [] : USUAL_EFFORTS;
    return { ...EVERYTHING, efforts, reasonsBy: thinksByWord(model) ? 'effort' : 'budget' };
  }
  return EVERYTHING;
}

function ofOpenAi(facts: OpenAiModel, model: string): ModelParameters {
  const { isReasoning, efforts = USUAL_EFFORTS, usualEffort, hasNewLimit } = facts;
  const limitName = hasNewLimit ? 'max_completion_tokens' : 'max_tokens';
  if (!isReasoning) return { ...EVERYTHING, efforts: [], limitName };
  return {
    ...EVERYTHING,
    sampling: efforts.includes('none') ? 'without_effort' : 'never',
    hasPenalties: false,
    hasSeed: false,
    hasStop: false,
    efforts,
    usualEffort,
    hasVerbosity: /(?:^|\/)gpt-/.test(model),
    limitName,
  };
}

function ofClaude(model: string): ModelParameters {
  const { canThink, isAdaptive, refusesSampling, refusesBothSamplings } = factsOf(model);
  return {
    ...EVERYTHING,
    sampling: refusesSampling ? 'never' : canThink ? 'without_effort' : 'always',
    highestTemperature: 1,
    takesBothSamplings: !refusesBothSamplings,
    hasPenalties: false,
    hasSeed: false,
    efforts: canThink ? USUAL_EFFORTS : [],
    usualEffort: 'none',
    reasonsBy: isAdaptive ? 'effort' : 'budget',
  };
}
