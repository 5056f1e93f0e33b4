// How many tokens the content of events is: at least one for each piece, because upstreams send no empty pieces.
import { decodeText, type ByteText } from '#server/egress/index.ts';
import { contentOf } from '#server/formats/openai-events.ts';
import { readEventText } from '#server/formats/sse.ts';
import { estimateAsciiTokens, estimateTokens } from './estimate.ts';

export function tokensOfContent(event: unknown): number {
  return tokensOfTexts(contentOf(event));
}

export function tokensOfTexts(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) tokens += Math.max(1, estimateTokens(text));
  return tokens;
}

const deltaName = '"delta"';
/** What nearly every event of a chat looks like around its words. */
export const usualStart = '"delta":{"content":"';
const CLOSE_OBJECT = 125;

/** Tokens of content in whole events as they stood on the wire. */
export function tokensOfEvents(bytes: ByteText): number {
  return usualTokens(bytes) ?? readTokens(bytes, tokensOfContent);
}

/** One event with one plain piece of text: counted on the bytes. undefined when it is anything else. */
function usualTokens(bytes: ByteText): number | undefined {
  const found = bytes.indexOf(usualStart);
  // The first line end must be that of the blank line: no other event stands before or behind.
  if (found < 0 || bytes.indexOf('\n') < bytes.length - 3) return undefined;
  const start = found + usualStart.length;
  const end = bytes.indexOf('"', start);
  if (end < 0 || bytes.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
  // Another delta before or behind it is another choice.
  if (bytes.indexOf(deltaName) !== found || bytes.indexOf(deltaName, end) >= 0) return undefined;
  const tokens = estimateAsciiTokens(bytes, start, end);
  if (tokens < 0) return undefined;
  return end === start ? 0 : Math.max(1, tokens);
}

/** The same where the words stand between `before` and a quote, and `before` stands there once. */
export function tokensBetween(bytes: ByteText, before: string): number | undefined {
  const found = bytes.indexOf(before);
  if (found < 0) return undefined;
  const start = found + before.length;
  const end = bytes.indexOf('"', start);
  if (end < 0 || bytes.indexOf(before, end) >= 0) return undefined;
  const tokens = estimateAsciiTokens(bytes, start, end);
  if (tokens < 0) return undefined;
  return end === start ? 0 : Math.max(1, tokens);
}

/** By reading every event. */
export function readTokens(bytes: ByteText, tokensOfEvent: (event: unknown) => number): number {
  let tokens = 0;
  for (const block of decodeText(bytes).split(/\r\n\r\n|\n\n|\r\r/)) {
    const { data } = readEventText(block);
    if (data === '' || data === '[DONE]') continue;
    try {
      tokens += tokensOfEvent(JSON.parse(data));
    } catch {
      // Not JSON: nobody can say what it is worth.
    }
  }
  return tokens;
}
