// The effort for OpenAI's models, in Chat and in Responses. Callers of its own formats chose the word for the model; what
// comes from another format becomes a word that the model accepts.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { approximate, drop } from '#server/models/formats/extras.ts';
import { effortForBudget, nearestEffort, openAiModel } from '#server/models/formats/openai-models.ts';

const OWN_FORMATS: ReadonlySet<string> = new Set(['openai-chat', 'openai-responses']);

export function encodeEffort(
  request: CanonicalRequest,
  to: 'openai-chat' | 'openai-responses',
  notes: ConversionNote[],
): string | undefined {
  const { reasoning, model, format } = request;
  const { effort, budgetTokens } = reasoning ?? {};
  if (reasoning === undefined || format === to) return effort;
  if (to === 'openai-chat' && reasoning.isHidden === true)
    drop(notes, 'thinking.display', 'thoughts that the upstream tells are shown');
  const { canThink, efforts } = openAiModel(model);
  if (!canThink) {
    if (effort !== 'none') drop(notes, 'reasoning', 'this model does not think');
    return undefined;
  }
  if (effort === undefined && budgetTokens === undefined) return undefined;
  if (effort !== undefined && OWN_FORMATS.has(format)) return effort;
  const accepted =
    effort === undefined ? effortForBudget(budgetTokens ?? 0, model) : nearestEffort(effort, efforts);
  if (accepted === effort) return effort;
  const given = effort === undefined ? `${budgetTokens} tokens of thought` : `the effort ${effort}`;
  approximate(notes, 'reasoning', `${given} became the effort ${accepted ?? 'of the model'}`);
  return accepted;
}
