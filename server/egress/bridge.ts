// A door on this machine, open for one connection, that leads through a proxy: for the built-in WebSocket, which knows no
// SOCKS. Only the caller's own TLS passes through it, so nobody can read along here.
import { createServer, type AddressInfo } from 'node:net';
import type { Endpoint } from './connection.ts';
import { dial } from './dial.ts';

const openMilliseconds = 15_000;

export async function bridge(endpoint: Endpoint): Promise<{ address: string; port: number }> {
  // Without TLS here: that is between the two ends.
  const far = await dial({ ...endpoint, serverName: undefined });
  const server = createServer((near) => {
    server.close();
    clearTimeout(timer);
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  server.maxConnections = 1;
  const timer = setTimeout(() => {
    server.close();
    far.destroy();
  }, openMilliseconds);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return { address: '127.0.0.1', port: (server.address() as AddressInfo).port };
}
