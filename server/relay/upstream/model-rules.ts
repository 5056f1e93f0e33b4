// Adapts requests to OpenAI's reasoning models, which callers do not know to be such: `max_completion_tokens`, no sampling
// parameters, `developer` instead of `system`.
import type { ConversionNote } from '#server/formats/canonical.ts';
import { isObject } from '#server/formats/json.ts';
import type { Format } from '#server/providers/provider.ts';

type Fields = Readonly<Record<string, unknown>>;

const reasoningModel = /^(?:[\w-]+\/)?(?:o\d|gpt-5)/;
const chattingModel = /gpt-5[\w.]*-chat/;
const reasoningModels = /^(?:[\w-]+\/)?o\d/;
const withoutDeveloperRole = /^(?:[\w-]+\/)?o1-(?:mini|preview)/;

const sampling = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const;
/** Default values are accepted by the models and pass. */
const neutral: Readonly<Record<string, number>> = {
  temperature: 1,
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
};

const known = new Map<string, boolean>();

export function isReasoningModel(model: string): boolean {
  let answer = known.get(model);
  if (answer === undefined) {
    answer = reasoningModel.test(model) && !chattingModel.test(model);
    if (known.size >= 10_000) known.clear();
    known.set(model, answer);
  }
  return answer;
}

/** The members to replace for this model; undefined removes one. */
export function ruledMembers(
  format: Format,
  fields: Fields,
  model: string,
  notes: ConversionNote[],
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (!isReasoningModel(model) || (format !== 'openai-chat' && format !== 'openai-responses')) return changes;
  const { max_tokens: limit } = fields;
  if (format === 'openai-chat' && limit !== undefined && limit !== null) {
    changes['max_tokens'] = undefined;
    if (fields['max_completion_tokens'] === undefined) {
      changes['max_completion_tokens'] = limit;
      notes.push({ field: 'max_tokens', what: 'renamed', detail: 'max_completion_tokens' });
    }
  }
  if (!acceptsSampling(fields, model)) {
    for (const name of sampling) {
      const value = fields[name];
      if (value === undefined || value === null || value === neutral[name]) continue;
      changes[name] = undefined;
      notes.push({ field: name, what: 'dropped', detail: 'the model samples in its own way' });
    }
  }
  const messages = format === 'openai-chat' ? asDeveloper(fields['messages'], model) : undefined;
  if (messages !== undefined) changes['messages'] = messages;
  return changes;
}

/** From GPT-5.1 on, sampling parameters are accepted while reasoning is off. */
function acceptsSampling(fields: Fields, model: string): boolean {
  const { reasoning, reasoning_effort: effort } = fields;
  const requested = isObject(reasoning) ? reasoning['effort'] : effort;
  return /gpt-5\.\d/.test(model) && requested === 'none';
}

function asDeveloper(messages: unknown, model: string): unknown[] | undefined {
  if (!reasoningModels.test(model) || withoutDeveloperRole.test(model) || !Array.isArray(messages))
    return undefined;
  const [first, ...rest] = messages as unknown[];
  if (!isObject(first) || first['role'] !== 'system') return undefined;
  return [{ ...first, role: 'developer' }, ...rest];
}
