// A Responses call that names a conversation: the items kept here come before its input, so that any upstream can go on with
// it, and the whole prompt is estimated, held and charged like one that the caller sent.
import { text, type Json } from '#server/models/formats/json.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { itemsOf } from '#server/relay/conversations/conversations.ts';
import type { KeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { parseJson, type JsonBody } from '#server/relay/request/read-body.ts';
import type { PrepareOptions } from './prepare.ts';

/** Also sets what the options say of it. */
export async function withConversation(
  kept: KeptConversations,
  caller: Caller,
  json: JsonBody,
  options: PrepareOptions,
): Promise<JsonBody> {
  const { conversation: named, ...rest } = json.value;
  // What is no name is refused with the other objects of an upstream's account.
  if (named === undefined || named === null || !isName(named)) return json;
  if ((rest['previous_response_id'] ?? null) !== null) throw invalid('previous_response_id');
  const id = typeof named === 'string' ? named : text(named.id);
  const { channelId } = await kept.find(caller.userId, id);
  const items = await kept.items(caller.userId, id);
  const input = itemsOf(rest['input']);
  await kept.refuseFull(caller.userId, items, input);
  options.conversation = { id, input };
  if (channelId !== 0) options.affinity = { channelId, isRequired: false, issuesThoughts: true };
  return parseJson(JSON.stringify({ ...rest, input: [...items.flatMap(sentItem), ...input] }));
}

const isName = (value: unknown): value is string | { id: string } =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string');

/** Upstreams look up what comes with an id of theirs; these carry their content themselves. */
const needsNoId = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Reasoning without its encrypted content could be read only by the upstream that has stored it. */
function sentItem(item: Json): Json[] {
  const type = text(item['type']);
  if (type === 'reasoning' && text(item['encrypted_content']) === '') return [];
  if (!needsNoId.has(type)) return [item];
  const { id: _ours, ...rest } = item;
  return [rest];
}

function invalid(field: string): RelayError {
  return new RelayError('invalid_field', { field }, { param: field });
}
