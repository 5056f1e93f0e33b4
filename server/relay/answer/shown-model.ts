// The caller's name of a mapped model in an answer that passes unchanged otherwise: the name at the upstream is the
// operator's own. Converted answers get the caller's name where they are encoded.
import { isObject } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { patchMembers } from '#server/relay/request/json-members.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** Undefined when the upstream has the model under the name that the caller reads. */
export function shownModelOf(
  { modelMapping }: Pick<Channel, 'modelMapping'>,
  { model, shownModel = model }: { model: string; shownModel?: string | undefined },
): string | undefined {
  return mapModel(modelMapping, model) === shownModel ? undefined : shownModel;
}

const EVENT_END = /(?<=\n\r?\n)/;
/** Inside a string the quotes would be escaped, so this is a member of the event. */
const MODEL_MEMBER = /"(model|modelVersion)"(\s*:\s*)("(?:[^"\\]|\\.)*")/;

/** The model that an event or a whole answer names, in any format. */
export function modelIn(event: Readonly<Record<string, unknown>>): string | undefined {
  const { message, response } = event;
  const holder = isObject(message) ? message : isObject(response) ? response : event;
  const name = holder['model'] ?? holder['modelVersion'];
  return typeof name === 'string' ? name : undefined;
}

/** The same, from the text of events. */
export function modelNamedIn(events: string): string | undefined {
  const found = MODEL_MEMBER.exec(events)?.[3];
  return found === undefined ? undefined : String(JSON.parse(found));
}

/** Whole events with the model named as the caller did. In every format the answer's own model comes first. */
export function withShownModel(events: string, model: string): string {
  const quoted = JSON.stringify(model);
  return events
    .split(EVENT_END)
    .map((event) =>
      event.replace(MODEL_MEMBER, (_, name: string, colon: string) => `"${name}"${colon}${quoted}`),
    )
    .join('');
}

export function renameModel(answer: WholeAnswer, model: string): void {
  const { json, body } = answer;
  if (json === undefined || answer.converted !== undefined) return;
  const names = ['model', 'modelVersion'].filter((name) => typeof json[name] === 'string');
  if (names.length === 0) return;
  for (const name of names) json[name] = model;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  answer.body = patchMembers(text, new Map(names.map((name) => [name, JSON.stringify(model)])));
}
