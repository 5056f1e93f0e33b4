// Members of a request that a channel changes: what its upstream has taught of a model (channel-choice/lessons.ts), and its system
// prompt, which is sent when the caller sends none, or before the caller's own.
import type { CanonicalRequest, ConversionNote } from '#server/models/formats/canonical.ts';
import { isObject, member } from '#server/models/formats/json.ts';
import { nearestEffort } from '#server/models/formats/openai-models.ts';
import type { Format } from '#server/models/providers/provider.ts';
import { speaksOf } from '#server/models/providers/spoken.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { ChannelSetting } from '#server/relay/channel-choice/channel-setting.ts';
import { lessonsOf, type Lesson } from '#server/relay/channel-choice/lessons.ts';
import { effortIn } from '#server/relay/channel-choice/refusal-lesson.ts';
import type { Fields } from '#server/relay/request/endpoints.ts';
import type { JsonRequest } from './upstream-body.ts';

const OTHER_FORMAT = {
  'openai-chat': 'openai-responses',
  'openai-responses': 'openai-chat',
} as const;

/** The format for a call of this model, where that would be `format`; noted when it is another. */
export function taughtFormat(
  channel: Channel,
  lessons: readonly Lesson[],
  { model, format }: { model: string; format: Format },
  request: JsonRequest,
  notes: ConversionNote[],
): Format {
  if (format !== 'openai-chat' && format !== 'openai-responses') return format;
  const other = OTHER_FORMAT[format];
  const why = lessons.find((lesson) => isRefused(lesson, format, request));
  if (why === undefined || !speaksOf(channel.provider, channel, model).includes(other)) return format;
  const isTools = why.kind === 'tools';
  notes.push({
    field: isTools ? 'tools' : 'model',
    what: 'renamed',
    detail: `sent as ${other}: the upstream takes ${isTools ? 'no tools of this model' : 'this model not'} as ${format}`,
  });
  return other;
}

function isRefused(lesson: Lesson, format: Format, request: JsonRequest): boolean {
  if (lesson.kind === 'format') return lesson.format === format;
  if (lesson.kind !== 'tools' || format !== 'openai-chat') return false;
  const { tools = [], reasoning } = request.canonical([]);
  if (tools.length === 0) return false;
  const effort = reasoning?.effort ?? (reasoning?.budgetTokens === undefined ? undefined : 'some');
  return effort === undefined ? !lesson.isAsked : effort !== 'none';
}

/** The members to replace; undefined removes one. */
export function taughtMembers(
  channel: Channel,
  model: string,
  fields: Fields,
  notes: ConversionNote[],
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  // The effort first: what is refused depends on it.
  const lessons = lessonsOf(channel, model).toSorted((left, right) => rank(left) - rank(right));
  for (const lesson of lessons) Object.assign(changes, membersOf(lesson, { ...fields, ...changes }, notes));
  return changes;
}

const rank = ({ kind }: Lesson): number => (kind === 'efforts' ? 0 : 1);

function membersOf(lesson: Lesson, fields: Fields, notes: ConversionNote[]): Record<string, unknown> {
  const effort = effortIn(fields);
  if (lesson.kind === 'efforts') {
    if (effort === '' || lesson.accepted.includes(effort)) return {};
    const nearest = nearestEffort(effort, lesson.accepted);
    notes.push({
      field: 'reasoning',
      what: 'approximated',
      detail: `the upstream refuses the effort ${effort}; ${nearest ?? 'its own'} was sent`,
    });
    return withEffort(fields, nearest);
  }
  if (lesson.kind !== 'field') return {};
  const { field, instead } = lesson;
  if (instead !== '') {
    if ((fields[field] ?? null) === null) return {};
    notes.push({ field, what: 'renamed', detail: instead });
    return { [field]: undefined, ...(fields[instead] === undefined ? { [instead]: fields[field] } : {}) };
  }
  if (lesson.effort !== effort) return {};
  const isEffort = field === 'reasoning_effort' || field === 'reasoning.effort';
  if (!isEffort && (fields[field] ?? null) === null) return {};
  notes.push({ field, what: 'dropped', detail: 'the upstream refuses it for this model' });
  return isEffort ? withEffort(fields, undefined) : { [field]: undefined };
}

function withEffort(fields: Fields, effort: string | undefined): Record<string, unknown> {
  if (fields['reasoning_effort'] !== undefined) return { reasoning_effort: effort };
  const { effort: _refused, ...rest } = member(fields['reasoning']);
  const reasoning = effort === undefined ? rest : { ...rest, effort };
  return { reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning };
}

/** The members to replace. */
export function promptMembers(
  format: Format,
  fields: Fields,
  setting: ChannelSetting,
): Record<string, unknown> {
  const { systemPrompt: prompt, systemPromptOverride: isFirst } = setting;
  if (prompt === '') return {};
  switch (format) {
    case 'openai-chat': {
      const messages = Array.isArray(fields['messages']) ? (fields['messages'] as unknown[]) : [];
      const hasOwn = messages.some(
        (each) => isObject(each) && (each['role'] === 'system' || each['role'] === 'developer'),
      );
      if (hasOwn && !isFirst) return {};
      return { messages: [{ role: 'system', content: prompt }, ...messages] };
    }
    case 'openai-responses': {
      const own = fields['instructions'];
      if (typeof own !== 'string' || own === '') return { instructions: prompt };
      return isFirst ? { instructions: `${prompt}\n\n${own}` } : {};
    }
    case 'anthropic-messages': {
      const { system } = fields;
      if (system === undefined || system === null || system === '') return { system: prompt };
      if (!isFirst) return {};
      if (typeof system === 'string') return { system: `${prompt}\n\n${system}` };
      return {
        system: [{ type: 'text', text: prompt }, ...(Array.isArray(system) ? (system as unknown[]) : [])],
      };
    }
    case 'gemini-generate': {
      const own = fields['systemInstruction'] ?? fields['system_instruction'];
      const parts = isObject(own) && Array.isArray(own['parts']) ? (own['parts'] as unknown[]) : [];
      if (parts.length > 0 && !isFirst) return {};
      return {
        systemInstruction: { parts: [{ text: prompt }, ...parts] },
        ...(fields['system_instruction'] === undefined ? {} : { system_instruction: undefined }),
      };
    }
    default:
      return {};
  }
}

export function withPrompt(request: CanonicalRequest, setting: ChannelSetting): CanonicalRequest {
  const { systemPrompt: text, systemPromptOverride: isFirst } = setting;
  if (text === '') return request;
  const hasOwn = request.messages.some(({ role }) => role === 'system' || role === 'developer');
  if (hasOwn && !isFirst) return request;
  return {
    ...request,
    messages: [{ role: 'system', content: [{ type: 'text', text }] }, ...request.messages],
  };
}
