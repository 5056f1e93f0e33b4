// Adapts converted requests to OpenAI's reasoning models, which callers of other formats do not know to be such: no sampling
// parameters, `developer` instead of `system`. A call in the upstream's own format is not touched.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { isObject } from '#server/models/formats/json.ts';
import { openAiModel, type OpenAiModel } from '#server/models/formats/openai-models.ts';
import { effortIn } from '#server/relay/channels/refusal-lesson.ts';
import type { Format } from '#server/models/providers/provider.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Default values are accepted by the models and pass. */
const neutral: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

/** The members to replace for this model; undefined removes one. */
export function ruledMembers(
  format: Format,
  fields: Fields,
  model: string,
  notes: ConversionNote[],
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  const facts = openAiModel(model);
  if (!facts.isReasoning || (format !== 'openai-chat' && format !== 'openai-responses')) return changes;
  if ((effortIn(fields) || facts.usualEffort) !== 'none') {
    for (const [name, usual] of Object.entries(neutral)) {
      const value = fields[name];
      if (value === undefined || value === null || value === usual) continue;
      changes[name] = undefined;
      notes.push({ field: name, what: 'dropped', detail: 'the model samples in its own way' });
    }
  }
  const messages = format === 'openai-chat' ? asDeveloper(fields['messages'], facts) : undefined;
  if (messages !== undefined) changes['messages'] = messages;
  return changes;
}

function asDeveloper(messages: unknown, { hasDeveloper }: OpenAiModel): unknown[] | undefined {
  if (!hasDeveloper || !Array.isArray(messages)) return undefined;
  const [first, ...rest] = messages as unknown[];
  if (!isObject(first) || first['role'] !== 'system') return undefined;
  return [{ ...first, role: 'developer' }, ...rest];
}
