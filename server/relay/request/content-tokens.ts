// Counts the content tokens of events: at least one per delta, because upstreams send no empty deltas.
import { contentOf } from '#server/models/formats/openai-events.ts';
import { readEventText } from '#server/models/formats/sse.ts';
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
/** The text before the content in nearly every chat event. */
const usualStart = '"delta":{"content":"';
const CLOSE_OBJECT = 125;

/** Content tokens of whole events as received. */
export function tokensOfEvents(text: string): number {
  return usualTokens(text) ?? readTokens(text, tokensOfContent);
}

/** Fast path for one event with one plain text delta, counted without parsing; undefined for anything else. */
function usualTokens(text: string): number | undefined {
  const found = text.indexOf(usualStart);
  // The first line end must belong to the blank line, so that the text is exactly one event.
  if (found < 0 || text.indexOf('\n') < text.length - 3) return undefined;
  const start = found + usualStart.length;
  const end = text.indexOf('"', start);
  if (end < 0 || text.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
  // A second delta means a second choice.
  if (text.indexOf(deltaName) !== found || text.indexOf(deltaName, end) >= 0) return undefined;
  const tokens = estimateAsciiTokens(text, start, end);
  if (tokens < 0) return undefined;
  return end === start ? 0 : Math.max(1, tokens);
}

/** Counts the text between `before`, which must occur once, and the closing quote. */
export function tokensBetween(text: string, before: string): number | undefined {
  const found = text.indexOf(before);
  if (found < 0) return undefined;
  const start = found + before.length;
  const end = text.indexOf('"', start);
  if (end < 0 || text.indexOf(before, end) >= 0) return undefined;
  const tokens = estimateAsciiTokens(text, start, end);
  if (tokens < 0) return undefined;
  return end === start ? 0 : Math.max(1, tokens);
}

/** Slow path: parses every event. */
export function readTokens(text: string, tokensOfEvent: (event: unknown) => number): number {
  let tokens = 0;
  for (const event of eventsIn(text)) tokens += tokensOfEvent(event);
  return tokens;
}

/** The events of a stream's text; what is not JSON is left out. */
export function* eventsIn(text: string): Generator {
  for (const block of text.split(/\r\n\r\n|\n\n|\r\r/)) {
    const { data } = readEventText(block);
    if (data === '' || data === '[DONE]') continue;
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      continue;
    }
    yield event;
  }
}
