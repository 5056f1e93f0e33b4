// A caller with its hands on the socket: writes bytes as they are, reads or does not, and knows how the connection ended.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface RawSocket {
  readonly socket: Socket;
  /** Everything read so far, a character for each byte. */
  text(): string;
  /** Answers when the text matches, or the connection is over. */
  until(pattern: RegExp): Promise<string>;
  /** The other side has closed, orderly or not. */
  readonly over: Promise<void>;
  isOver(): boolean;
  /** Answers once the bytes have left this process, or the connection is over. */
  send(bytes: string | Uint8Array): Promise<void>;
}

/** `from`: the caller's own address, one of 127.0.0.0/8. */
export async function openSocket(port: number, from = '127.0.0.1'): Promise<RawSocket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const over = Promise.withResolvers<void>();
  let text = '';
  let isOver = false;
  let look = () => {};
  const end = () => {
    isOver = true;
    over.resolve();
    look();
  };
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    look();
  });
  for (const event of ['end', 'close', 'error']) socket.on(event, end);
  return {
    socket,
    text: () => text,
    until: (pattern) =>
      new Promise((resolve) => {
        look = () => {
          if (isOver || pattern.test(text)) resolve(text);
        };
        look();
      }),
    over: over.promise,
    isOver: () => isOver,
    async send(bytes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.write(bytes, () => resolve());
      await Promise.race([promise, over.promise]);
    },
  };
}

/** One exchange: the bytes are written, the answer is read until the other side closes or nothing came for so long. */
export async function exchange(port: number, bytes: string, quietMilliseconds = 1500): Promise<string> {
  const caller = await openSocket(port);
  await caller.send(bytes);
  // A busy machine may answer late; what follows the first bytes is written with them.
  await Promise.race([caller.until(/[^]/), Bun.sleep(30_000)]);
  let length = -1;
  while (!caller.isOver() && caller.text().length !== length) {
    length = caller.text().length;
    await Promise.race([caller.over, Bun.sleep(quietMilliseconds)]);
  }
  caller.socket.destroy();
  return caller.text();
}

const ESTABLISHED = '01';

const hex = (port: number | undefined) => `:${(port ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** How many of these the server on this port has not closed: a caller that does not read sees no end. */
export function openConnections(port: number, callers: readonly RawSocket[]): number {
  const local = hex(port);
  const remote = new Set(callers.map(({ socket }) => hex(socket.localPort)));
  let count = 0;
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [, address, peer, state] = line.trim().split(/\s+/);
      const isCaller = address?.endsWith(local) === true && remote.has(peer?.slice(-5) ?? '');
      if (isCaller && state === ESTABLISHED) count += 1;
    }
  return count;
}

/** Resident memory of a process now and at its highest, in megabytes. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
