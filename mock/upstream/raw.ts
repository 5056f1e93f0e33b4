// A raw TCP upstream: reads a request and answers with given bytes, for what a server library refuses to send (header
// floods, broken status lines, wrong lengths, CRLF inside headers).
import { type AddressInfo, type Socket, createServer } from 'node:net';

export interface RawUpstream {
  url: string;
  port: number;
  /** Head and body of each request received, as text. */
  requests: string[];
  stop: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

export interface RawAnswer {
  bytes: string | Uint8Array;
  /** What follows the bytes: FIN, TCP reset, or nothing (a silent peer). */
  ending?: 'close' | 'reset' | 'silence';
}

export async function startRawUpstream(answer: (request: string) => RawAnswer): Promise<RawUpstream> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (!isWhole(received)) return;
      requests.push(received);
      const { bytes, ending = 'close' } = answer(received);
      received = '';
      socket.write(bytes, () => finish(socket, ending));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, port, requests, stop, [Symbol.asyncDispose]: stop };
}

function finish(socket: Socket, how: 'close' | 'reset' | 'silence'): void {
  if (how === 'close') socket.end();
  if (how === 'reset') socket.resetAndDestroy();
}

function isWhole(request: string): boolean {
  const headEnd = request.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = request.slice(0, headEnd);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return request.endsWith('0\r\n\r\n');
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return request.length - headEnd - 4 >= length;
}

/** An answer with the right length, for the test to modify. */
export function rawAnswer(headerLines: readonly string[], body: string, status = '200 OK'): string {
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${[...lines, ...headerLines].join('\r\n')}\r\n\r\n${body}`;
}
