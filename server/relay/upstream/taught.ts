// Applies what a channel's upstream has taught of a model (channels/lessons.ts) to the next call.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { member } from '#server/models/formats/json.ts';
import { nearestEffort } from '#server/models/formats/openai-models.ts';
import { speaksOf } from '#server/models/providers/spoken.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import { lessonsOf, type Lesson } from '#server/relay/channels/lessons.ts';
import { effortIn } from '#server/relay/channels/refusal-lesson.ts';
import type { JsonRequest } from './body-parts.ts';

const otherFormat = {
  'openai-chat': 'openai-responses',
  'openai-responses': 'openai-chat',
} as const;

/** The format for a call of this model, where that would be `format`; noted when it is another. */
export function taughtFormat(
  channel: Channel,
  { model, format }: { model: string; format: Format },
  request: JsonRequest,
  notes: ConversionNote[],
): Format {
  if (format !== 'openai-chat' && format !== 'openai-responses') return format;
  const lessons = lessonsOf(channel, model);
  if (lessons.length === 0) return format;
  const other = otherFormat[format];
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

type Fields = Readonly<Record<string, unknown>>;

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
