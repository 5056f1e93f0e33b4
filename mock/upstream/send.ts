// Writes an answer with the chosen pace and faults, and closes the request's record with the outcome: complete, aborted by
// the caller, reset or cut by the mock.
import type { Behaviour } from './behaviour.ts';
import type { Books } from './books.ts';
import type { Answer, Dialect, Exchange } from './dialect.ts';
import { type WirePiece, wirePieces } from './sse.ts';

const encoder = new TextEncoder();

export function send(exchange: Exchange, answer: Answer, dialect: Dialect, books: Books): Response {
  const { record, behaviour } = exchange;
  const headers = dialect.headers(exchange);
  if (behaviour.headers) Object.assign(headers, behaviour.headers);
  if (answer.kind === 'refusal') {
    record.status = answer.status;
    books.close(record, 'refused');
    headers['Content-Type'] = 'application/json';
    Object.assign(headers, answer.headers, behaviour.headers);
    return new Response(answer.body, { status: answer.status, headers });
  }
  if (answer.kind === 'events') {
    headers['Content-Type'] = answer.framing?.contentType ?? 'text/event-stream; charset=utf-8';
    headers['Cache-Control'] = 'no-cache';
    const pieces = wirePieces(answer, behaviour, dialect, exchange.path);
    return new Response(stream(exchange, pieces, books), { headers });
  }
  headers['Content-Type'] = answer.kind === 'json' ? 'application/json' : answer.contentType;
  if (needsStream(behaviour)) {
    return new Response(stream(exchange, [whole(answer.body)], books), { headers });
  }
  let body =
    behaviour.gzipBombMegabytes === undefined
      ? answer.body
      : ' '.repeat(behaviour.gzipBombMegabytes * 1_048_576);
  if (behaviour.gzip || behaviour.gzipBombMegabytes !== undefined) {
    headers['Content-Encoding'] = 'gzip';
    body = Bun.gzipSync(typeof body === 'string' ? encoder.encode(body) : new Uint8Array(body));
  }
  record.bytesWritten = body.length;
  record.outputTokensWritten = record.usage.outputTokens;
  books.close(record, 'complete');
  return new Response(typeof body === 'string' ? body : new Uint8Array(body), { headers });
}

function needsStream(behaviour: Behaviour): boolean {
  return (
    behaviour.resetAtByte !== undefined ||
    behaviour.sliceBytes !== undefined ||
    behaviour.firstTokenDelayMilliseconds !== undefined ||
    behaviour.stall !== undefined
  );
}

function whole(body: Uint8Array | string): WirePiece {
  return typeof body === 'string'
    ? { text: body, tokens: 0, usage: true }
    : { text: '', tokens: 0, usage: true, bytes: body };
}

/** Resolves early when the caller leaves; true = the pause ended normally. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** A reset discards unread bytes; this lets the receiver read first, so that "at byte n" means byte n. */
const DELIVERY_MILLISECONDS = 20;

const EVENTS_PER_TURN = 32;

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

class StreamReset extends Error {}

interface DirectController {
  /** The number of bytes written, or a promise while the caller reads too slowly. */
  write: (chunk: string | Uint8Array) => number | Promise<number>;
  flush: () => number | Promise<number>;
  close: (error?: Error) => void;
}

function stream(exchange: Exchange, pieces: Iterable<WirePiece>, books: Books): ReadableStream {
  const { record, request } = exchange;
  const signal = request.signal;
  const onAbort = (): void => books.close(record, 'aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  return new ReadableStream({
    type: 'direct',
    async pull(controller: DirectController): Promise<void> {
      const writer = new Writer(exchange, controller);
      try {
        const ending = await writer.run(pieces);
        if (ending === 'aborted') return;
        if (ending === 'reset' && record.bytesWritten > 0) await pause(DELIVERY_MILLISECONDS, signal);
        signal.removeEventListener('abort', onAbort);
        books.close(record, ending);
        // Bun answers an error in the body with a TCP reset, after what was flushed before it.
        if (ending === 'reset') throw new StreamReset('reset by the mock upstream');
        controller.close();
      } catch (error) {
        books.close(record, signal.aborted ? 'aborted' : 'reset');
        throw error;
      }
    },
    cancel: onAbort,
  } as unknown as Bun.UnderlyingSource);
}

class Writer {
  readonly #exchange: Exchange;
  readonly #controller: DirectController;
  #events = 0;

  constructor(exchange: Exchange, controller: DirectController) {
    this.#exchange = exchange;
    this.#controller = controller;
  }

  async run(pieces: Iterable<WirePiece>): Promise<'complete' | 'aborted' | 'reset' | 'cut'> {
    const { behaviour, record, request } = this.#exchange;
    const { signal } = request;
    const { chunkDelayMilliseconds, eventsPerWrite = 1, firstTokenDelayMilliseconds, stall } = behaviour;
    if (firstTokenDelayMilliseconds !== undefined) {
      // An SSE comment or JSON white space makes the response head leave before the first token.
      await this.#write(record.stream ? ': waiting\n\n' : ' ');
      if (!(await pause(firstTokenDelayMilliseconds, signal))) return 'aborted';
    }
    const shaped = behaviour.sliceBytes !== undefined || behaviour.resetAtByte !== undefined;
    for (const piece of pieces) {
      if (stall?.afterEvents === this.#events && !(await pause(stall.milliseconds, signal))) return 'aborted';
      const isFirstOfWrite = this.#events % eventsPerWrite === 0;
      if (chunkDelayMilliseconds !== undefined && isFirstOfWrite && this.#events > 0) {
        if (!(await pause(chunkDelayMilliseconds, signal))) return 'aborted';
      }
      if (signal.aborted) return 'aborted';
      if (piece.end) return piece.end;
      const data = piece.bytes ?? piece.text;
      if (shaped) {
        if (!(await this.#writeShaped(typeof data === 'string' ? encoder.encode(data) : data)))
          return 'reset';
      } else {
        const waiting = this.#write(data, (this.#events + 1) % eventsPerWrite === 0);
        if (waiting) await waiting;
      }
      this.#events += 1;
      // A stream without pauses must still let the event loop notice that the caller left.
      if (this.#events % EVENTS_PER_TURN === 0) await nextTurn();
      record.eventsWritten += 1;
      record.outputTokensWritten += piece.tokens;
      if (piece.usage) record.usageReports += 1;
    }
    return 'complete';
  }

  /** A promise only when the caller reads too slowly, so that a plain stream costs no tick per event. */
  #write(data: string | Uint8Array, isLastOfWrite = true): Promise<unknown> | undefined {
    const { record, request } = this.#exchange;
    const taken = this.#controller.write(data);
    if (isLastOfWrite) void this.#controller.flush();
    if (typeof taken === 'number') {
      record.bytesWritten += taken;
      return undefined;
    }
    record.bytesWritten += typeof data === 'string' ? Buffer.byteLength(data) : data.length;
    return Promise.race([taken, aborted(request.signal)]);
  }

  /** In slices, up to the byte of the reset; false = reset now. */
  async #writeShaped(bytes: Uint8Array): Promise<boolean> {
    const { behaviour, record } = this.#exchange;
    const left =
      behaviour.resetAtByte === undefined ? bytes.length : behaviour.resetAtByte - record.bytesWritten;
    const usable = bytes.subarray(0, Math.min(bytes.length, Math.max(left, 0)));
    const sliceBytes = behaviour.sliceBytes ?? Math.max(usable.length, 1);
    for (let start = 0; start < usable.length; start += sliceBytes) {
      await this.#write(usable.slice(start, start + sliceBytes));
      await nextTurn();
    }
    return behaviour.resetAtByte === undefined || record.bytesWritten < behaviour.resetAtByte;
  }
}
