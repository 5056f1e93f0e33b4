// Keeps what later Responses calls may refer to: the response, its input, and who issued its encrypted reasoning.
import { isObject, objects, text, type Json } from '#server/models/formats/json.ts';
import { readEventText } from '#server/models/formats/sse.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { encryptedIn, itemsOf, type Conversations } from '#server/relay/conversations/conversations.ts';
import { plainItem } from '#server/relay/conversations/items.ts';
import type { KeptConversations } from '#server/relay/conversations/kept-conversations.ts';

interface Memories {
  readonly conversations: Conversations;
  readonly keptConversations: KeptConversations;
}

/** Keeps what the finished response of a call will be asked for later. */
export async function rememberResponse(
  { conversations, keptConversations }: Memories,
  { caller, prepared, record }: RunningCall,
  response: Json,
  isConverted: boolean,
): Promise<void> {
  const { fields } = prepared;
  const id = text(response['id']);
  const output = objects(response['output']);
  const wantsStored = fields['store'] !== false && id !== '' && response['status'] !== 'failed';
  // An upstream that says so keeps nothing itself.
  const isKeptHere = isConverted || response['store'] === false;
  const { channelId, route } = record;
  const model = prepared.shownModel ?? prepared.model;
  const { conversation } = prepared;
  if (conversation !== undefined && response['status'] !== 'failed') {
    const items = [...conversation.input, ...output].map(plainItem);
    await keptConversations.append(caller, conversation.id, { channelId, items });
  }
  await conversations.remember(caller, channelId, {
    responseId: wantsStored ? id : undefined,
    items: isKeptHere ? itemsOf(fields['input']) : undefined,
    response: isKeptHere ? { ...response, model, store: true } : { model },
    route: route && { asked: route.asked, served: prepared.model },
    encrypted: encryptedIn(output),
    issued: isKeptHere ? [] : issuedIn(output, wantsStored),
  });
}

/** Containers live on without the response. */
const issuedIn = (output: readonly Json[], isStored: boolean): string[] =>
  output
    .flatMap((item) => [text(item['container_id']), isStored ? text(item['id']) : ''])
    .filter((id) => id !== '');

/** The response inside the closing event of a stream, or in its text. */
export function closingResponse(closing: unknown): Json | undefined {
  const event = typeof closing === 'string' ? lastEvent(closing) : closing;
  return isObject(event) && isObject(event['response']) ? event['response'] : undefined;
}

function lastEvent(events: string): unknown {
  for (const block of events.split('\n\n').toReversed()) {
    const { data } = readEventText(block);
    if (data.startsWith('{')) return JSON.parse(data) as unknown;
  }
  return undefined;
}
