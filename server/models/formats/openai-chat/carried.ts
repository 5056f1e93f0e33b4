// What a chat request carries of a caller's of another format.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import type { CarriedParts } from '#server/models/formats/requested-part-features.ts';
import { noteLosses, type FeatureName } from '#server/models/formats/requested-features.ts';
import type { ModelFacts } from './models.ts';

const carriedParts: CarriedParts = {
  detail: true,
  names: true,
  strictTools: true,
  filename: ({ type }) => type === 'file',
};

const CARRIED: ReadonlySet<FeatureName> = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stop',
  'seed',
  'choices',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
  'tools',
  'toolChoice',
  'parallelToolCalls',
  'responseFormat',
  'reasoning',
  'verbosity',
  'user',
  'modalities',
  'audio',
]);
/** OpenAI's own models only: compatible upstreams may refuse unknown members. */
const CARRIED_TO_OPEN_AI: ReadonlySet<FeatureName> = new Set([
  ...CARRIED,
  'serviceTier',
  'promptCacheKey',
  'safetyIdentifier',
]);

const CARRIED_WITH_LABELS: ReadonlySet<FeatureName> = new Set([...CARRIED_TO_OPEN_AI, 'metadata', 'store']);

/** OpenAI's Chat keeps metadata only of what it stores, as its Responses do unless told otherwise. */
export function storedLabels(
  request: CanonicalRequest,
  { isOpenAi }: ModelFacts,
): CanonicalRequest['metadata'] {
  const isStored = isOpenAi && request.format === 'openai-responses' && request.store !== false;
  const hasLabels = Object.keys(request.metadata ?? {}).length > 0;
  return isStored && hasLabels ? request.metadata : undefined;
}

export function noteChatLosses(
  request: CanonicalRequest,
  { isOpenAi, keepsPrompts }: ModelFacts,
  hasLabels: boolean,
  notes: ConversionNote[],
): void {
  const known = isOpenAi ? CARRIED_TO_OPEN_AI : CARRIED;
  const parts: CarriedParts = { ...carriedParts, cache: keepsPrompts ? 'all' : 'none' };
  noteLosses(request, hasLabels ? CARRIED_WITH_LABELS : known, parts, notes);
}
