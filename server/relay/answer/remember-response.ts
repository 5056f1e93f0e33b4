// Keeps what later Responses calls may refer to: the response, its input, and who issued its encrypted reasoning.
import { isObject, objects, text, type Json } from '#server/formats/json.ts';
import { readEventText } from '#server/formats/sse.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { encryptedIn, itemsOf, type Conversations } from '#server/relay/conversations/conversations.ts';

/** Keeps what the finished response of a call will be asked for later. */
export function rememberResponse(
  conversations: Conversations,
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
  return conversations.remember(caller.userId, record.channelId, {
    responseId: wantsStored ? id : undefined,
    items: isKeptHere ? itemsOf(fields['input']) : undefined,
    response: isKeptHere ? { ...response, model: prepared.model, store: true } : { model: prepared.model },
    encrypted: encryptedIn(output),
  });
}

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
