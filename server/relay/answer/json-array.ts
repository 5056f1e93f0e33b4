// A stream of server-sent events as one long JSON array: how Gemini streams to callers who did not ask for events.
import { readEventText } from '#server/models/formats/sse.ts';
import type { Reframing } from './event-stream.ts';

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
