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

/** What nearly every event of a chat looks like around its words. */
const usualStart = '"delta":{"content":"';

/** Tokens of content in whole events as they stood on the wire. */
export function tokensOfEvents(bytes: Uint8Array): number {
  const text = decoder.decode(bytes);
  // Carriage returns end lines in streams that go the long way altogether; in JSON they are always escaped.
  if (text.includes('\r')) return readTokens(text);
  let tokens = 0;
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\n\n', at);
    const block = end < 0 ? text.slice(at) : text.slice(at, end);
    tokens += usualTokens(block) ?? readTokens(block);
    if (end < 0) break;
    at = end + 2;
  }
  return tokens;
}

/** The words are cut out of the text instead of being parsed; undefined when the event looks otherwise. */
function usualTokens(block: string): number | undefined {
  const found = block.indexOf('"delta"');
  if (found < 0 || !block.startsWith(usualStart, found)) return undefined;
  const start = found + usualStart.length;
  const end = block.indexOf('"', start);
  const isWhole = end >= 0 && block.charCodeAt(end - 1) !== 92 && block.charCodeAt(end + 1) === 125;
  // A second choice in the same event, or escapes that only a parser reads, go the long way.
  if (!isWhole || block.indexOf('\\', start) >= 0 || block.indexOf('"delta"', end) >= 0) return undefined;
  return end === start ? 0 : Math.max(1, estimateTokens(block.slice(start, end)));
}

function readTokens(text: string): number {
  let tokens = 0;
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/)) {
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
