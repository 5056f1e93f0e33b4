// Looks at the text of events without parsing it: most events of a stream only pass. A piece is plain when it is whole
// events without anything the relay must read: no usage object, no error object, no end marker, no comment. Its tokens are counted
// in the same way.
import { contentOf } from '#server/models/formats/openai-events.ts';
import { readEventText } from '#server/models/formats/sse.ts';
import { asciiKinds, estimateTokens, tokensOfRun } from '#server/relay/request/estimate.ts';

const NULL_USAGE_BEFORE = ',"usage":null';
const NULL_USAGE_AFTER = '"usage":null,';

const LF = 10;
const CR = 13;
const CLOSE_OBJECT = 125;
const COLON = 58;
const SPACE = 32;
const LETTER_N = 110;

/** `name` occurs as a value, or as a member whose value is not null. Inside a string its quotes would be escaped. */
export function hasMember(text: string, name: string): boolean {
  let at = text.indexOf(name);
  while (at >= 0) {
    let next = at + name.length;
    while (text.charCodeAt(next) === SPACE) next += 1;
    if (text.charCodeAt(next) !== COLON) return true;
    next += 1;
    while (text.charCodeAt(next) === SPACE) next += 1;
    if (text.charCodeAt(next) !== LETTER_N) return true;
    at = text.indexOf(name, next);
  }
  return false;
}

/** `text` ends with a blank line. Events of these streams are JSON objects: one that does not end like one is parsed. */
export function isPlain(text: string): boolean {
  return (
    isJsonEnd(text) && !text.includes('[DONE]') && !hasMember(text, '"usage"') && !hasMember(text, '"error"')
  );
}

/** Ends like an object, and is no comment. */
export function isJsonEnd(text: string): boolean {
  let last = text.length - 1;
  let code = text.charCodeAt(last);
  while (code === LF || code === CR) code = text.charCodeAt((last -= 1));
  return code === CLOSE_OBJECT && text.charCodeAt(0) !== COLON;
}

export function hasFinish(text: string): boolean {
  return text.includes('"finish_reason":"');
}

/** The same without `"usage":null`, which upstreams add to each chunk once usage is asked for. */
export function withoutNullUsage(text: string): string {
  const at = text.indexOf(NULL_USAGE_BEFORE);
  if (at < 0) return text.replaceAll(NULL_USAGE_AFTER, '');
  const rest = text.slice(at + NULL_USAGE_BEFORE.length);
  // Mostly there is one event, with one of them.
  const after = rest.includes(NULL_USAGE_BEFORE) ? rest.replaceAll(NULL_USAGE_BEFORE, '') : rest;
  return text.slice(0, at) + after;
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

const DELTA_NAME = '"delta"';
/** The text before the content in nearly every chat event. */
const USUAL_START = '"delta":{"content":"';

/** Content tokens of whole events as received. */
export function tokensOfEvents(text: string): number {
  return usualTokens(text) ?? readTokens(text, tokensOfContent);
}

/** Fast path for one event with one plain text delta, counted without parsing; undefined for anything else. */
function usualTokens(text: string): number | undefined {
  const found = text.indexOf(USUAL_START);
  // The first line end must belong to the blank line, so that the text is exactly one event.
  if (found < 0 || text.indexOf('\n') < text.length - 3) return undefined;
  const start = found + USUAL_START.length;
  const end = text.indexOf('"', start);
  if (end < 0 || text.charCodeAt(end + 1) !== CLOSE_OBJECT) return undefined;
  // A second delta means a second choice.
  if (text.indexOf(DELTA_NAME) !== found || text.indexOf(DELTA_NAME, end) >= 0) return undefined;
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

/** Fast path for plain ASCII; -1 when a character is not ASCII or starts an escape. */
function estimateAsciiTokens(text: string, start: number, end: number): number {
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
    tokens += tokensOfRun(kind, run);
    kind = next;
    run = 1;
  }
  return tokens + tokensOfRun(kind, run);
}
