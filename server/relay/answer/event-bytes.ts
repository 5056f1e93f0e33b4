// Looks at events on the wire without decoding them: most chunks of a stream only need to pass. A chunk is plain when it
// holds whole events and nothing the relay must read: no usage object, no error object, no end marker, no comment.
import { type ByteText } from '#server/egress/index.ts';

const nullUsageBefore = ',"usage":null';
const nullUsageAfter = '"usage":null,';

const LF = 10;
const CR = 13;
const CLOSE_OBJECT = 125;
const COLON = 58;
const SPACE = 32;
const LETTER_N = 110;

/** The name stands there as a value, or as a member whose value is not null. Inside a string its quotes would be escaped. */
export function hasMember(bytes: ByteText, name: string): boolean {
  let at = bytes.indexOf(name);
  while (at >= 0) {
    let next = at + name.length;
    while (bytes.charCodeAt(next) === SPACE) next += 1;
    if (bytes.charCodeAt(next) !== COLON) return true;
    next += 1;
    while (bytes.charCodeAt(next) === SPACE) next += 1;
    if (bytes.charCodeAt(next) !== LETTER_N) return true;
    at = bytes.indexOf(name, next);
  }
  return false;
}

/** `bytes` end with a blank line. Events of these streams are JSON objects: one that does not end like one is looked at. */
export function isPlain(bytes: ByteText): boolean {
  return (
    isJsonEnd(bytes) &&
    !bytes.includes('[DONE]') &&
    !hasMember(bytes, '"usage"') &&
    !hasMember(bytes, '"error"')
  );
}

/** Ends like an object, and is no comment. */
export function isJsonEnd(bytes: ByteText): boolean {
  let last = bytes.length - 1;
  let code = bytes.charCodeAt(last);
  while (code === LF || code === CR) code = bytes.charCodeAt((last -= 1));
  return code === CLOSE_OBJECT && bytes.charCodeAt(0) !== COLON;
}

export function tellsFinish(bytes: ByteText): boolean {
  return bytes.includes('"finish_reason":"');
}

/** The same without `"usage":null`, which upstreams add to each chunk once usage is asked for. */
export function withoutNullUsage(bytes: ByteText): ByteText {
  const at = bytes.indexOf(nullUsageBefore);
  if (at < 0) return bytes.replaceAll(nullUsageAfter, '') as ByteText;
  const rest = bytes.slice(at + nullUsageBefore.length);
  // Mostly there is one event, with one of them.
  const after = rest.includes(nullUsageBefore) ? rest.replaceAll(nullUsageBefore, '') : rest;
  return (bytes.slice(0, at) + after) as ByteText;
}
