// A stream of server-sent events as one long JSON array: how Gemini streams to callers who did not ask for events.
import { readEventText } from '#server/formats/sse.ts';
import type { Reframing } from './stream.ts';

const decoder = new TextDecoder();

export function jsonArray(): Reframing {
  let hasBegun = false;
  return {
    frame(events) {
      let text = '';
      for (const block of (typeof events === 'string' ? events : decoder.decode(events)).split(
        /\r?\n\r?\n/,
      )) {
        const { data } = readEventText(block);
        if (data === '') continue;
        text += hasBegun ? `,\r\n${data}` : `[${data}`;
        hasBegun = true;
      }
      // A comment that keeps the connection is white space here.
      return text === '' ? '\n' : text;
    },
    close: () => (hasBegun ? '\n]\n' : '[]\n'),
  };
}
