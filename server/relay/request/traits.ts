// What a call asks of a model, in any of the callers' formats: pictures, files, tools, an answer in a given form. Also by what its
// conversation is recognized, and whether it has begun before.
import { visitAttachments } from './estimate.ts';
import type { Fields } from './endpoints.ts';

export interface Traits {
  readonly pictures: boolean;
  /** Documents and recordings. */
  readonly files: boolean;
  readonly tools: boolean;
  readonly structuredOutput: boolean;
}

export function traitsOf(fields: Fields): Traits {
  const kinds = new Set<string>();
  for (const name of ['messages', 'input', 'contents', 'image', 'system'])
    visitAttachments(fields[name], (kind) => kinds.add(kind));
  return {
    pictures: kinds.has('picture') || typeof fields['image'] === 'string',
    files: kinds.has('document') || kinds.has('audio'),
    tools: [fields['tools'], fields['functions']].some((list) => Array.isArray(list) && list.length > 0),
    structuredOutput: wantsForm(fields),
  };
}

function wantsForm(fields: Fields): boolean {
  const types = [
    fields['response_format'],
    memberOf(fields['text'], 'format'),
    fields['output_format'],
    memberOf(fields['output_config'], 'format'),
  ].map((format) => memberOf(format, 'type'));
  if (types.some((type) => type === 'json_schema' || type === 'json_object')) return true;
  const config = fields['generationConfig'];
  return (
    memberOf(config, 'responseMimeType') === 'application/json' ||
    ['responseSchema', 'responseJsonSchema'].some((name) => memberOf(config, name) !== undefined)
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Headers in which known agents name their session. */
export const SESSION_HEADERS = ['session_id', 'x-session-id', 'conversation_id'];
/** Of the first message: a document at its start needs not be read whole. */
const LONGEST_BEGINNING = 4000;

/** The same for all calls of a conversation: its session or cache key, else its first message of a user. */
export function conversationKey(headers: Pick<Headers, 'get'>, fields: Fields): string {
  for (const name of SESSION_HEADERS) {
    const session = headers.get(name);
    if (session !== null && session !== '') return session.slice(0, LONGEST_BEGINNING);
  }
  for (const named of [fields['prompt_cache_key'], memberOf(fields['metadata'], 'user_id')])
    if (typeof named === 'string' && named !== '') return named.slice(0, LONGEST_BEGINNING);
  const said = fields['messages'] ?? fields['input'] ?? fields['contents'] ?? fields['prompt'];
  const first = Array.isArray(said)
    ? ((said as unknown[]).find((each) => memberOf(each, 'role') === 'user') ?? (said as unknown[])[0])
    : said;
  return beginningOf(first);
}

/** Of a message in any format, without reading all of a long one. */
function beginningOf(message: unknown): string {
  const content = memberOf(message, 'content') ?? memberOf(message, 'parts') ?? message;
  const texts = (Array.isArray(content) ? (content as unknown[]) : [content]).map((part) =>
    typeof part === 'string' ? part : memberOf(part, 'text'),
  );
  const text = texts.find((each) => typeof each === 'string');
  return typeof text === 'string'
    ? text.slice(0, LONGEST_BEGINNING)
    : (JSON.stringify(content) ?? '').slice(0, LONGEST_BEGINNING);
}

/** Who speaks in an earlier answer, in the formats of callers. */
const ANSWERING: ReadonlySet<unknown> = new Set(['assistant', 'model']);

/** Whether the prompt contains an earlier answer of the conversation. */
export function carriesAnswer(fields: Fields): boolean {
  const said = fields['messages'] ?? fields['input'] ?? fields['contents'];
  return Array.isArray(said) && (said as unknown[]).some((each) => ANSWERING.has(memberOf(each, 'role')));
}
