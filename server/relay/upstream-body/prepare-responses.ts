// Prepares Responses calls: `previous_response_id` is resolved from the stored conversation, routed to the channel whose
// upstream stores it, or refused; encrypted reasoning is routed to the channel that issued it.
import { hasControlCharacter } from '#contract/control-characters.ts';
import { text, type Json } from '#server/models/formats/json.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { encryptedIn, itemsOf, type Conversations } from '#server/relay/conversations/conversations.ts';
import type { KeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { parseJson, type JsonBody } from '#server/relay/request/read-body.ts';
import type { Affinity } from '#server/relay/channel-choice/kept-channel.ts';
import { prepareJsonBody, type PreparedCall, type PrepareOptions } from './prepare.ts';
import { namedObjects } from './shared-account.ts';

export async function prepareResponses(
  conversations: Conversations,
  caller: Caller,
  endpoint: RelayEndpoint,
  json: JsonBody,
  given: PrepareOptions,
): Promise<PreparedCall> {
  let options = given;
  const { value } = json;
  // A background response would finish, and have to be billed, after this call ends.
  if (value['background'] === true)
    throw new RelayError('background_unsupported', {}, { param: 'background' });
  const issued = namedObjects(endpoint.format, value);
  if (issued.length > 0) options = await withOwnObjects(conversations, caller, issued, options);
  const previous = value['previous_response_id'];
  if (previous === undefined || previous === null) {
    const encrypted = encryptedIn(value['input']);
    if (encrypted.length === 0) return prepareJsonBody(endpoint, json, options);
    const channelId = await conversations.issuer(caller, encrypted);
    const issuer =
      channelId === undefined ? undefined : { channelId, isRequired: false, issuesThoughts: true };
    const affinity = options.affinity ?? issuer;
    return prepareJsonBody(endpoint, json, { ...options, affinity });
  }
  if (typeof previous !== 'string' || hasControlCharacter(previous)) throw invalid('previous_response_id');
  const stored = await conversations.find(caller, previous);
  if (stored === undefined) {
    const id = previous.slice(0, 100);
    throw new RelayError(
      'previous_response_unknown',
      { id },
      { param: 'previous_response_id', publicCode: 'previous_response_not_found' },
    );
  }
  const { channelId, items } = stored;
  if (items === undefined) {
    const affinity: Affinity = { channelId, isRequired: true };
    return prepareJsonBody(endpoint, json, { ...options, affinity });
  }
  const { previous_response_id: _resolved, ...rest } = value;
  const whole = parseJson(JSON.stringify({ ...rest, input: [...items, ...itemsOf(value['input'])] }));
  const affinity: Affinity = { channelId, isRequired: false, issuesThoughts: true };
  return prepareJsonBody(endpoint, whole, { ...options, affinity: options.affinity ?? affinity });
}

/** What upstreams issued to this user may be named again, on the channel that issued it. */
async function withOwnObjects(
  conversations: Conversations,
  caller: Caller,
  named: readonly string[],
  options: PrepareOptions,
): Promise<PrepareOptions> {
  const found = await conversations.issuers(caller, named);
  const [first] = found;
  if (first === undefined) return options;
  const [itemId, channelId] = first;
  return {
    ...options,
    own: new Set([...(options.own ?? []), ...found.keys()]),
    affinity:
      options.affinity?.isRequired === true ? options.affinity : { channelId, isRequired: true, itemId },
  };
}

/**
 * A call that names a conversation: the items kept here come before its input, so that any upstream can go on with it, and
 * the whole prompt is estimated, held and charged like one that the caller sent. Also sets what the options say of it.
 */
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
  const { channelId } = await kept.find(caller, id);
  const items = await kept.items(caller, id);
  const input = itemsOf(rest['input']);
  await kept.refuseFull(caller, items, input);
  options.conversation = { id, input };
  if (channelId !== 0) options.affinity = { channelId, isRequired: false, issuesThoughts: true };
  return parseJson(JSON.stringify({ ...rest, input: [...items.flatMap(sentItem), ...input] }));
}

const isName = (value: unknown): value is string | { id: string } =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string');

/** Upstreams look up what comes with an id of theirs; these carry their content themselves. */
const NEEDS_NO_ID = new Set([
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
  if (!NEEDS_NO_ID.has(type)) return [item];
  const { id: _ours, ...rest } = item;
  return [rest];
}

function invalid(field: string): RelayError {
  return new RelayError('invalid_field', { field }, { param: field });
}
