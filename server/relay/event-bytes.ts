// Looks at event bytes without decoding them: most chunks of a stream only need to pass. A chunk is plain when it holds
// whole events and nothing the relay must read: no usage object, no error object, no end marker, no comment.

const usageName = Buffer.from('"usage"');
const errorName = Buffer.from('"error"');
const doneMark = Buffer.from('[DONE]');
const nullUsageBefore = Buffer.from(',"usage":null');
const nullUsageAfter = Buffer.from('"usage":null,');
const finishText = Buffer.from('"finish_reason":"');

const LF = 10;
const CR = 13;
const CLOSE_OBJECT = 125;
const COLON = 58;
const SPACE = 32;
const LETTER_N = 110;

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The name stands there as a value, or as a member whose value is not null. Inside a string its quotes would be escaped. */
export function hasMember(bytes: Buffer, name: Buffer): boolean {
  let at = bytes.indexOf(name);
  while (at >= 0) {
    let next = at + name.length;
    while (bytes[next] === SPACE) next += 1;
    if (bytes[next] === COLON) {
      next += 1;
      while (bytes[next] === SPACE) next += 1;
      if (bytes[next] !== LETTER_N) return true;
    } else return true;
    at = bytes.indexOf(name, next);
  }
  return false;
}

/** `bytes` end with a blank line. Events of these streams are JSON objects: one that does not end like one is looked at. */
export function isPlain(bytes: Buffer): boolean {
  return (
    isJsonEnd(bytes) &&
    bytes.indexOf(doneMark) < 0 &&
    !hasMember(bytes, usageName) &&
    !hasMember(bytes, errorName)
  );
}

/** Ends like an object, and is no comment. */
export function isJsonEnd(bytes: Buffer): boolean {
  let last = bytes.length - 1;
  while (bytes[last] === LF || bytes[last] === CR) last -= 1;
  return bytes[last] === CLOSE_OBJECT && bytes[0] !== COLON;
}

export function tellsFinish(bytes: Uint8Array): boolean {
  return asBuffer(bytes).includes(finishText);
}

/** The same bytes without `"usage":null`, which upstreams add to each chunk once usage is asked for. Works in place. */
export function withoutNullUsage(bytes: Buffer): Buffer {
  let needle = nullUsageBefore;
  let at = bytes.indexOf(needle);
  if (at < 0) {
    needle = nullUsageAfter;
    at = bytes.indexOf(needle);
    if (at < 0) return bytes;
  }
  let write = at;
  while (at >= 0) {
    const from = at + needle.length;
    const next = bytes.indexOf(needle, from);
    const end = next < 0 ? bytes.length : next;
    bytes.copyWithin(write, from, end);
    write += end - from;
    at = next;
  }
  return bytes.subarray(0, write);
}
