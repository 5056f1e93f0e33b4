// How many tokens the content of events is: at least one for each piece, because upstreams send no empty pieces.
import { contentOf } from '#server/formats/openai-events.ts';
import { readEventText } from '#server/formats/sse.ts';
import { estimateTokens } from './estimate.ts';

const decoder = new TextDecoder();

export function tokensOfContent(event: unknown): number {
  let tokens = 0;
  for (const text of contentOf(event)) tokens += Math.max(1, estimateTokens(text));
  return tokens;
}

/** Tokens of content in whole events as they stood on the wire. */
export function tokensOfEvents(bytes: Uint8Array): number {
  let tokens = 0;
  for (const block of decoder.decode(bytes).split(/\r\n\r\n|\n\n|\r\r/)) {
    const { data } = readEventText(block);
    if (data === '' || data === '[DONE]') continue;
    try {
      tokens += tokensOfContent(JSON.parse(data));
    } catch {
      // Not JSON: nobody can say what it is worth.
    }
  }
  return tokens;
}
