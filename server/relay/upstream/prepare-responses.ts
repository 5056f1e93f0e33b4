// Prepares Responses calls: `previous_response_id` is resolved from the stored conversation, routed to the channel whose
// upstream stores it, or refused; encrypted reasoning is routed to the channel that issued it.
import { hasControlCharacter } from '#contract/control-characters.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { encryptedIn, itemsOf, type Conversations } from '#server/relay/conversations/conversations.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { prepareJsonBody, type Affinity, type PreparedCall, type PrepareOptions } from './prepare.ts';
import { parseJson, type JsonBody } from '#server/relay/request/read-body.ts';
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
    const channelId = await conversations.issuer(caller.userId, encrypted);
    const issuer =
      channelId === undefined ? undefined : { channelId, isRequired: false, issuesThoughts: true };
    const affinity = options.affinity ?? issuer;
    return prepareJsonBody(endpoint, json, { ...options, affinity });
  }
  if (typeof previous !== 'string' || hasControlCharacter(previous))
    throw new RelayError(
      'invalid_field',
      { field: 'previous_response_id' },
      { param: 'previous_response_id' },
    );
  const stored = await conversations.find(caller.userId, previous);
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
  const found = await conversations.issuers(caller.userId, named);
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
