// Estimates token counts by character classes, for holds and for calls without reported usage. Linear in the text, and
// constant for very long texts (evenly spaced samples), so that it never blocks the relay.
import { contentOf } from '#server/models/formats/openai-events.ts';
import { readEventText } from '#server/models/formats/sse.ts';

const sampleAbove = 262_144;
const sampleCount = 64;
const sampleLength = 2048;

/** Longest run of letters that is still one token on average. */
const lettersPerToken = 7;
const digitsPerToken = 3;
const symbolsPerToken = 2;

export function estimateTokens(text: string): number {
  if (text.length <= sampleAbove) return count(text, 0, text.length);
  let tokens = 0;
  const step = (text.length - sampleLength) / (sampleCount - 1);
  for (let index = 0; index < sampleCount; index += 1) {
    const start = Math.floor(step * index);
    tokens += count(text, start, start + sampleLength);
  }
  return Math.ceil((tokens * text.length) / (sampleCount * sampleLength));
}

const letters = 1;
const digits = 2;
const symbols = 3;
const spaces = 4;
const wide = 5;
const other = 6;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(code));

/** Fast path for plain ASCII; -1 when a character is not ASCII or starts an escape. */
export function estimateAsciiTokens(text: string, start: number, end: number): number {
  let tokens = 0;
  let kind = 0;
  let run = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 128 || code === 92) return -1;
    const next = asciiKinds[code] as number;
    if (next === kind) {
      run += 1;
      continue;
    }
    tokens += tokensOf(kind, run);
    kind = next;
    run = 1;
  }
  return tokens + tokensOf(kind, run);
}

function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return letters;
  if (code === 32 || code === 10 || code === 13 || code === 9) return spaces;
  if (code >= 48 && code <= 57) return digits;
  if (code < 128) return symbols;
  // CJK, kana, hangul and full-width forms.
  if (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xffef)
  ) {
    return wide;
  }
  if (code < 0x250) return letters;
  return other;
}

function count(text: string, start: number, end: number): number {
  let tokens = 0;
  let kind = 0;
  let run = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    const next = code < 128 ? (asciiKinds[code] as number) : kindOf(code);
    if (next === kind) {
      run += 1;
      continue;
    }
    tokens += tokensOf(kind, run);
    kind = next;
    run = 1;
  }
  return tokens + tokensOf(kind, run);
}

function tokensOf(kind: number, run: number): number {
  switch (kind) {
    case letters:
      return Math.ceil(run / lettersPerToken);
    case digits:
      return Math.ceil(run / digitsPerToken);
    case symbols:
      return Math.ceil(run / symbolsPerToken);
    case spaces:
      // One space belongs to the word after it.
      return run > 1 ? 1 : 0;
    case wide:
      return run;
    case other:
      return Math.ceil(run / 2);
    default:
      return 0;
  }
}

/** Content tokens of an event: at least one per delta, because upstreams send no empty deltas. */
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
const closeObject = 125;

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
  if (end < 0 || text.charCodeAt(end + 1) !== closeObject) return undefined;
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
