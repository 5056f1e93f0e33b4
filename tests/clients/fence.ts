// A proxy that refuses everything and says what clients asked for. The fence itself is the network namespace in which they
// run (scripts/clients.mjs); a client may ignore a proxy.
import { createServer } from 'node:net';

export interface Fence extends Disposable {
  /** For the clients' environment. */
  variables: Record<string, string>;
  /** Addresses that clients asked for, with the number of times. */
  refused: Map<string, number>;
}

export async function startFence(): Promise<Fence> {
  const refused = new Map<string, number>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (head) => {
      const address = head.toString('latin1').split(' ')[1] ?? '';
      refused.set(address, (refused.get(address) ?? 0) + 1);
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const listening = server.address();
  const port = typeof listening === 'object' ? listening?.port : 0;
  const proxy = `http://127.0.0.1:${port}`;
  const own = '127.0.0.1,localhost';
  const names = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: own };
  const lower = Object.entries(names).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    variables: { ...names, ...Object.fromEntries(lower) },
    refused,
    [Symbol.dispose]: () => server.close(),
  };
}
