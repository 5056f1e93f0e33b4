// A CONNECT proxy that records its requests.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TestProxy extends AsyncDisposable {
  url: string;
  /** `host:port` of each connection, in order. */
  asked: string[];
}

export async function startProxy(): Promise<TestProxy> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => near.destroy()).on('close', () => open.delete(near));
    near.once('data', (head: Buffer) => {
      const [, host = '', port = ''] = /^CONNECT (\S+):(\d+) /.exec(head.toString()) ?? [];
      asked.push(`${host}:${port}`);
      const far = connect(Number(port), host, () => {
        near.write('HTTP/1.1 200 Connection established\r\n\r\n');
        near.pipe(far);
        far.pipe(near);
      });
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
      near.on('close', () => far.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
