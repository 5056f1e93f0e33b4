// Answers that are changed as a whole on their way: a stream as one long JSON array, which is how Gemini streams to callers who did not
// ask for events, and the name of the conversation that a call named, which upstreams do not know.
import { readEventText } from '#server/models/formats/sse.ts';
import { patchMembers } from '#server/relay/request/json-members.ts';

/** Events in a form that is not server-sent events. */
export interface Reframing {
  frame(events: string): string;
  close(): string;
}

export function jsonArray(): Reframing {
  let hasBegun = false;
  return {
    frame(events) {
      let text = '';
      for (const block of events.split(/\r?\n\r?\n/)) {
        const { data } = readEventText(block);
        if (data === '') continue;
        text += hasBegun ? `,\r\n${data}` : `[${data}`;
        hasBegun = true;
      }
      // A comment that keeps the connection becomes white space.
      return text === '' ? '\n' : text;
    },
    close: () => (hasBegun ? '\n]\n' : '[]\n'),
  };
}

export function nameConversation(
  answer: { readonly json?: object | undefined; body: string | Uint8Array },
  id: string,
): void {
  const { json, body } = answer;
  if (json === undefined) return;
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const value = JSON.stringify({ id });
  answer.body = text.startsWith('{')
    ? patchMembers(text, new Map([['conversation', value]]))
    : named(text, value);
}

/** Inside a string the quotes would be escaped, so these are members of the event. */
const UNNAMED = /"conversation"\s*:\s*null\s*,?/g;
const RESPONSE = /"object"\s*:\s*"response"/g;

const named = (events: string, value: string): string =>
  events.replace(UNNAMED, '').replace(RESPONSE, (found) => `"conversation":${value},${found}`);

export function namingConversation(id: string): Reframing {
  const value = JSON.stringify({ id });
  return { frame: (events) => named(events, value), close: () => '' };
}
