// A caller on a raw socket: sends one model call, leaves it in any way a network allows, and counts the bytes it has
// read.
import { connect, type Socket } from 'node:net';

export interface RawCaller {
  readonly socket: Socket;
  /** Bytes of the answer read so far, head and framing included. */
  bytesRead(): number;
  head(): string;
  /** The body without its framing, as far as it has been read. */
  body(): string;
  /** Resolves when this many bytes have been read, or the connection has ended. */
  untilBytes(count: number): Promise<void>;
  untilBody(isEnough: (body: string) => boolean): Promise<void>;
  /** The gateway has closed the connection, orderly or not. */
  readonly over: Promise<void>;
}

export async function sendCall(port: number, path: string, key: string, body: unknown): Promise<RawCaller> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const over = Promise.withResolvers<void>();
  const parts: Buffer[] = [];
  let bytesRead = 0;
  let waiting: { isDone: () => boolean; resolve: () => void } | undefined;
  const look = () => {
    if (waiting?.isDone() !== true) return;
    waiting.resolve();
    waiting = undefined;
  };
  const end = () => {
    over.resolve();
    waiting?.resolve();
    waiting = undefined;
  };
  socket.on('data', (bytes: Buffer) => {
    parts.push(bytes);
    bytesRead += bytes.length;
    look();
  });
  for (const event of ['end', 'close', 'error']) socket.on(event, end);
  const text = JSON.stringify(body);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  const whole = () => Buffer.concat(parts).toString('latin1');
  const readBody = () => withoutChunks(whole());
  const until = (isDone: () => boolean) =>
    new Promise<void>((resolve) => {
      waiting = { isDone, resolve };
      if (socket.closed || socket.readableEnded) end();
      else look();
    });
  return {
    socket,
    bytesRead: () => bytesRead,
    head: () => whole().split('\r\n\r\n', 1)[0] ?? '',
    body: readBody,
    untilBytes: (count) => until(() => bytesRead >= count),
    untilBody: (isEnough) => until(() => isEnough(readBody())),
    over: over.promise,
  };
}

/** The content of a chunked answer, including an incomplete last chunk. */
function withoutChunks(answer: string): string {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return '';
  let at = headEnd + 4;
  let content = '';
  for (;;) {
    const lineEnd = answer.indexOf('\r\n', at);
    if (lineEnd < 0) return content;
    const length = Number.parseInt(answer.slice(at, lineEnd), 16);
    if (!(length > 0)) return content;
    content += answer.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
  }
}

/** The number of content pieces in whole events. */
export function contentPieces(body: string): number {
  const wholeEvents = body.slice(0, body.lastIndexOf('\n\n') + 2);
  return wholeEvents.match(/"delta":\{"content":"[^"]/g)?.length ?? 0;
}
