// One message of a realtime session: read as an event, and with the caller's name of a mapped model.
import { isObject } from '#server/models/formats/json.ts';
import { withShownModel } from '#server/relay/answer/shown-model.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { refuseSharedObjects } from '#server/relay/upstream-body/shared-account.ts';
import type { Message } from './ordered-messages.ts';

const decoder = new TextDecoder();
const textOf = (message: Message): string =>
  typeof message === 'string' ? message : decoder.decode(message);

/** Undefined for what is no event. Events in binary frames count too: some upstreams read them like text. */
export function parseEvent(message: Message): Record<string, unknown> | undefined {
  try {
    const event: unknown = JSON.parse(textOf(message));
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

/** Without these words, and escapes that could spell them, no object of the upstream's account is named. */
const MAY_NAME = /prompt|\\u/;

/** A message that names an object of the account that all users share is not sent. */
export function refusalOf(message: Message): RelayError | undefined {
  if (!MAY_NAME.test(textOf(message))) return undefined;
  const event = parseEvent(message);
  if (event === undefined) return undefined;
  try {
    refuseSharedObjects('openai-realtime', event);
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
  return undefined;
}

/** Only events about the session itself name its model. */
const SESSION_EVENT = /"type"\s*:\s*"session\./;

export function forCaller(message: Message, names: { model: string; upstreamModel: string }): Message {
  if (names.upstreamModel === names.model) return message;
  const text = textOf(message);
  return SESSION_EVENT.test(text) ? withShownModel(text, names.model) : message;
}

/** `response.create` with this limit, by the name that the caller or else the upstream uses. */
export function withLimit(event: Record<string, unknown>, field: string, tokens: number): string {
  const response = isObject(event['response']) ? event['response'] : {};
  const given = ['max_output_tokens', 'max_response_output_tokens'].find((name) => name in response);
  return JSON.stringify({ ...event, response: { ...response, [given ?? field]: tokens } });
}
