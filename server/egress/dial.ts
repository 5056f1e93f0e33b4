// Opens a connection by way of a proxy, if there is one, and with TLS to the upstream, if it wants it: the upstream's name
// is proved end to end, whoever carries the bytes.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ConnectionError } from './connection-error.ts';
import type { Endpoint } from './connection.ts';
import type { ProxyRoute } from './proxy.ts';

const dialMilliseconds = 15_000;
const longestProxyHead = 16 * 1024;

/** Ready for the first byte; for TLS, after the peer has proved its name. */
export async function dial(endpoint: Endpoint): Promise<Socket> {
  const { proxy, serverName } = endpoint;
  const { address, port } = proxy ?? endpoint;
  const socket = connect({ host: address, port });
  let current = socket;
  const timer = setTimeout(() => socket.destroy(new Error('the connection took too long')), dialMilliseconds);
  try {
    await happened(socket, 'connect');
    socket.setNoDelay(true);
    if (proxy !== undefined) current = await tunnel(socket, proxy, endpoint);
    return serverName === undefined ? current : await secured(current, serverName, endpoint);
  } catch (error) {
    current.destroy();
    socket.destroy();
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError('connect', error instanceof Error ? error.message : 'no connection');
  } finally {
    clearTimeout(timer);
  }
}

async function tunnel(socket: Socket, proxy: ProxyRoute, endpoint: Endpoint): Promise<Socket> {
  if (proxy.kind === 'socks5') {
    await socks5(socket, proxy, endpoint.port);
    return socket;
  }
  const outer = proxy.kind === 'https' ? await secured(socket, proxy.hostname, endpoint) : socket;
  await httpConnect(outer, proxy, endpoint.port);
  return outer;
}

async function secured(
  socket: Socket,
  serverName: string,
  { certificateAuthority }: Endpoint,
): Promise<Socket> {
  const secure = connectTls({
    socket,
    rejectUnauthorized: true,
    // An address cannot be asked for by name; its certificate must carry it all the same.
    ...(isIP(serverName) === 0 ? { servername: serverName } : { host: serverName }),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  });
  await happened(secure, 'secureConnect', 'certificate');
  return secure;
}

async function httpConnect(socket: Socket, proxy: ProxyRoute, port: number): Promise<void> {
  const name = proxy.destination.includes(':') ? `[${proxy.destination}]` : proxy.destination;
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  const authorization = proxy.username === '' ? '' : `Proxy-Authorization: Basic ${credentials}\r\n`;
  socket.write(`CONNECT ${name}:${port} HTTP/1.1\r\nHost: ${name}:${port}\r\n${authorization}\r\n`);
  const bytes = reader(socket);
  let head = '';
  while (!head.endsWith('\r\n\r\n')) {
    if (head.length > longestProxyHead) throw new ConnectionError('format', 'the proxy says too much');
    head += (await bytes.take(1)).toString('latin1');
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status?.startsWith('2') !== true) throw refused(`answered ${status ?? 'no HTTP'}`);
  bytes.release();
}

const socksVersion = 5;
const withoutLogin = 0;
const withPassword = 2;
const socksReplies = [
  'succeeded',
  'failed',
  'does not allow this',
  'cannot reach the network',
  'cannot reach the host',
  'was refused the connection',
  'timed out',
  'does not know the command',
  'does not know the kind of address',
];

async function socks5(socket: Socket, proxy: ProxyRoute, port: number): Promise<void> {
  const bytes = reader(socket);
  const method = proxy.username === '' ? withoutLogin : withPassword;
  socket.write(Buffer.from([socksVersion, 1, method]));
  const [, chosen] = await bytes.take(2);
  if (chosen !== method) throw refused('wants another login');
  if (method === withPassword) {
    const [username, password] = [Buffer.from(proxy.username), Buffer.from(proxy.password)];
    if (username.length > 255 || password.length > 255) throw refused('cannot take a login that long');
    socket.write(
      Buffer.concat([Buffer.from([1, username.length]), username, Buffer.from([password.length]), password]),
    );
    const [, verdict] = await bytes.take(2);
    if (verdict !== 0) throw refused('refused the login');
  }
  const place = Buffer.alloc(2);
  place.writeUInt16BE(port);
  socket.write(Buffer.concat([Buffer.from([socksVersion, 1, 0]), socksAddress(proxy.destination), place]));
  const [, reply = 1, , kind] = await bytes.take(4);
  if (reply !== 0) throw refused(socksReplies[reply] ?? 'failed');
  // What follows is the proxy's own end of the connection, of no interest.
  const length = kind === 1 ? 4 : kind === 4 ? 16 : (await bytes.take(1)).readUInt8(0);
  await bytes.take(length + 2);
  bytes.release();
}

function socksAddress(destination: string): Buffer {
  const family = isIP(destination);
  if (family === 4) return Buffer.from([1, ...destination.split('.').map(Number)]);
  if (family === 6) return Buffer.concat([Buffer.from([4]), ipv6Bytes(destination)]);
  const name = Buffer.from(destination);
  return Buffer.concat([Buffer.from([3, name.length]), name]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => parseInt(part, 16));
  const [first, last] = [groups(head), groups(tail ?? '')];
  const all = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}

function refused(what: string): ConnectionError {
  return new ConnectionError('connect', `the proxy ${what}`);
}

/** Takes exact numbers of bytes, so that nothing of what follows the handshake is lost. */
function reader(socket: Socket) {
  let kept: Buffer = Buffer.alloc(0);
  let waiting: { size: number; resolve: (bytes: Buffer) => void; reject: (error: Error) => void } | undefined;
  const serve = (): void => {
    if (waiting === undefined || kept.length < waiting.size) return;
    const { size, resolve } = waiting;
    waiting = undefined;
    const taken = kept.subarray(0, size);
    kept = kept.subarray(size);
    resolve(taken);
  };
  const onData = (bytes: Buffer): void => {
    kept = Buffer.concat([kept, bytes]);
    serve();
  };
  const onEnd = (): void => waiting?.reject(refused('closed the connection'));
  const onError = (error: Error): void => waiting?.reject(error);
  socket.on('data', onData).on('close', onEnd).on('end', onEnd).on('error', onError);
  return {
    take: (size: number): Promise<Buffer> =>
      new Promise((resolve, reject) => {
        waiting = { size, resolve, reject };
        serve();
        if (waiting !== undefined && socket.destroyed) onEnd();
      }),
    release(): void {
      socket.off('data', onData).off('close', onEnd).off('end', onEnd).off('error', onError);
      // An upstream does not speak first; whoever did is not it.
      if (kept.length > 0) throw refused('sent more than it should');
    },
  };
}

function happened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  reason: ConnectionError['reason'] = 'connect',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error?: Error): void => {
      stop();
      reject(new ConnectionError(reason, error?.message ?? 'closed while connecting'));
    };
    const onClose = (): void => fail();
    const done = (): void => {
      stop();
      resolve();
    };
    const stop = (): void => {
      socket.off(event, done).off('error', fail).off('close', onClose);
      // An error between two steps must not end the process.
      socket.on('error', ignore);
    };
    socket.once(event, done).once('error', fail).once('close', onClose);
  });
}

function ignore(): void {}
