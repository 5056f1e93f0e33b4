// A stream of server-sent events as one long JSON array: how Gemini streams to callers who did not ask for events.
import { ascii, decodeText, encodeText } from '#server/egress/index.ts';
import { readEventText } from '#server/formats/sse.ts';
import type { Reframing } from './event-stream.ts';

export function jsonArray(): Reframing {
  let hasBegun = false;
  return {
    frame(events) {
      let text = '';
      for (const block of decodeText(events).split(/\r?\n\r?\n/)) {
        const { data } = readEventText(block);
        if (data === '') continue;
        text += hasBegun ? `,\r\n${data}` : `[${data}`;
        hasBegun = true;
      }
      // A comment that keeps the connection is white space here.
      return text === '' ? ascii('\n') : encodeText(text);
    },
    close: () => ascii(hasBegun ? '\n]\n' : '[]\n'),
  };
}
