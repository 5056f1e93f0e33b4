// Server-sent events as bytes: finds event boundaries without decoding, and reads the fields of one event. Accepts \n, \r\n
// and \r line ends, a byte order mark, comments, and chunks of any size.

const LF = 10;
const CR = 13;

export interface SseEvent {
  event: string;
  /** The data lines joined by line feeds. */
  data: string;
  /** Without fields: a comment or blank lines. */
  empty: boolean;
}

/** The index just past the first complete event at or after `start`, or -1. Blank line = two line ends in a row. */
export function eventEnd(bytes: Uint8Array, start: number, length: number): number {
  for (let index = start; index < length; index += 1) {
    const byte = bytes[index];
    if (byte === LF) {
      const next = bytes[index + 1];
      if (index + 1 >= length) return -1;
      if (next === LF) return index + 2;
      if (next === CR) {
        if (index + 2 >= length) return -1;
        return bytes[index + 2] === LF ? index + 3 : index + 2;
      }
    } else if (byte === CR) {
      if (index + 1 >= length) return -1;
      const next = bytes[index + 1];
      // \r\r is a blank line; \r\n is one line end and is checked at its \n.
      if (next === CR) return index + 2;
    }
  }
  return -1;
}

/** True when the last byte of the slice ends an event, for the usual \n\n and \r\n\r\n. */
export function endsEvent(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 2 || bytes[end - 1] !== LF) return false;
  if (bytes[end - 2] === LF) return true;
  return end - start >= 4 && bytes[end - 2] === CR && bytes[end - 3] === LF && bytes[end - 4] === CR;
}

const decoder = new TextDecoder();

export function readEvent(bytes: Uint8Array): SseEvent {
  return readEventText(decoder.decode(bytes));
}

export function readEventText(text: string): SseEvent {
  let event = '';
  let data = '';
  let hasData = false;
  let empty = true;
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '' || line.startsWith(':')) continue;
    empty = false;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'data') {
      data = hasData ? `${data}\n${value}` : value;
      hasData = true;
    } else if (field === 'event') event = value;
  }
  return { event, data, empty };
}

/** Splits chunks into whole events; buffers an incomplete one up to a limit. */
export class EventSplitter {
  /** Doubles when full, so that an event in tiny chunks is not copied once per chunk. */
  #held = new Uint8Array(0);
  #heldBytes = 0;
  readonly #limitBytes: number;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whole events of the buffer plus `chunk`. Throws `EventTooLargeError` when one event exceeds the limit. */
  push(chunk: Uint8Array): Uint8Array[] {
    let bytes = chunk;
    // Where the search resumes: a blank line can begin in the last three buffered bytes.
    let from = 0;
    if (this.#heldBytes > 0) {
      from = Math.max(0, this.#heldBytes - 3);
      this.#hold(chunk);
      bytes = this.#held.subarray(0, this.#heldBytes);
    }
    const events: Uint8Array[] = [];
    let start = 0;
    for (;;) {
      const end = eventEnd(bytes, Math.max(start, from), bytes.length);
      if (end < 0) break;
      events.push(bytes.subarray(start, end));
      start = end;
      from = end;
    }
    if (bytes.length - start > this.#limitBytes) throw new EventTooLargeError();
    if (bytes === chunk) {
      if (start < bytes.length) this.#hold(bytes.subarray(start));
    } else if (start > 0) {
      // The returned events are views of the old buffer: the rest moves to a new one.
      const rest = bytes.slice(start);
      this.#held = new Uint8Array(0);
      this.#heldBytes = 0;
      if (rest.length > 0) this.#hold(rest);
    }
    return events;
  }

  #hold(bytes: Uint8Array): void {
    const needed = this.#heldBytes + bytes.length;
    if (needed > this.#held.length) {
      const grown = new Uint8Array(Math.max(needed, this.#held.length * 2));
      grown.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = grown;
    }
    this.#held.set(bytes, this.#heldBytes);
    this.#heldBytes = needed;
  }

  /** The rest when the stream ended without a blank line. */
  rest(): Uint8Array | undefined {
    if (this.#heldBytes === 0) return undefined;
    const rest = this.#held.slice(0, this.#heldBytes);
    this.#held = new Uint8Array(0);
    this.#heldBytes = 0;
    return rest;
  }
}

export class EventTooLargeError extends Error {
  override name = 'EventTooLargeError';
}
