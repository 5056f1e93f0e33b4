// A way through a proxy for the platform's clients, which know no SOCKS and cannot pin the address of an HTTPS proxy: a
// Unix socket that only this user can open. Each connection to it becomes one connection through the proxy. TLS to the
// upstream runs inside, so its name is proved end to end.
import { mkdtempSync, rmSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createServer, isIP, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SocksClient } from 'socks';
import { ConnectionError, connectionErrorOf } from './connection-error.ts';
import type { ProxyAddress } from './proxy.ts';

/** A proxy at a checked address, and what it is asked to reach: a name stays a name, because only the proxy may know it. */
export interface ProxyRoute {
  readonly proxy: ProxyAddress;
  readonly address: string;
  readonly destination: string;
  readonly port: number;
  readonly certificateAuthority: string | undefined;
}

const DIAL_MILLISECONDS = 15_000;
const UNUSED_MILLISECONDS = 600_000;

export class Tunnel {
  readonly path: string;
  /** Of the last attempt to connect. */
  failure: ConnectionError | undefined;
  usedAt = performance.now();
  readonly #route: ProxyRoute;
  readonly #server: Server;
  readonly #near = new Set<Socket>();

  constructor(path: string, route: ProxyRoute) {
    this.path = path;
    this.#route = route;
    this.#server = createServer((near) => void this.#join(near));
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(this.path, () => {
        this.#server.unref();
        resolve();
      });
    });
  }

  get isUnused(): boolean {
    return this.#near.size === 0 && this.usedAt + UNUSED_MILLISECONDS < performance.now();
  }

  close(): void {
    this.#server.close();
    for (const near of this.#near) near.destroy();
  }

  async #join(near: Socket): Promise<void> {
    this.#near.add(near);
    near.on('error', ignore);
    near.on('close', () => this.#near.delete(near));
    near.pause();
    try {
      const far = await dial(this.#route);
      this.failure = undefined;
      if (near.destroyed) return void far.destroy();
      far.on('error', ignore);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.pipe(far);
      far.pipe(near);
    } catch (error) {
      this.failure = connectionErrorOf(error);
      near.destroy();
    }
  }
}

/** Resolves with a connection to the destination, ready for the first byte. */
async function dial(route: ProxyRoute): Promise<Socket> {
  const { proxy, address, destination, port } = route;
  if (proxy.kind !== 'socks5') return await httpConnect(route);
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: {
        host: address,
        port: proxy.port,
        type: 5,
        ...(proxy.username === '' ? {} : { userId: proxy.username, password: proxy.password }),
      },
      command: 'connect',
      destination: { host: destination, port },
      timeout: DIAL_MILLISECONDS,
    });
    return socket;
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'failed');
  }
}

function httpConnect({
  proxy,
  address,
  destination,
  port,
  certificateAuthority,
}: ProxyRoute): Promise<Socket> {
  const place = `${isIP(destination) === 6 ? `[${destination}]` : destination}:${port}`;
  const credentials = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  const request = (proxy.kind === 'https' ? requestHttps : requestHttp)({
    host: address,
    port: proxy.port,
    method: 'CONNECT',
    path: place,
    agent: false,
    timeout: DIAL_MILLISECONDS,
    headers: {
      Host: place,
      ...(proxy.username === '' ? {} : { 'Proxy-Authorization': `Basic ${credentials}` }),
    },
    ...(isIP(proxy.hostname) === 0 ? { servername: proxy.hostname } : {}),
    ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => request.destroy(refused('took too long')), DIAL_MILLISECONDS);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    request.on('error', (error) => fail(error instanceof ConnectionError ? error : refused(error.message)));
    request.on('close', () => fail(refused('closed the connection')));
    request.on('response', (response) => {
      fail(refused(`answered ${response.statusCode}`));
      request.destroy();
    });
    request.on('connect', (response, socket, early) => {
      clearTimeout(timer);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300 && early.length === 0) return resolve(socket);
      socket.destroy();
      fail(refused(early.length > 0 ? 'sent more than its answer' : `answered ${status}`));
    });
    request.end();
  });
}

const refused = (what: string): ConnectionError =>
  new ConnectionError('connect', `the proxy failed: ${what}`);

/** All tunnels of this process, in a folder of their own. */
export class Tunnels {
  readonly #open = new Map<string, Promise<Tunnel>>();
  #folder: string | undefined;
  #count = 0;

  async to(key: string, route: ProxyRoute): Promise<Tunnel> {
    let opening = this.#open.get(key);
    if (opening === undefined) {
      opening = this.#begin(route);
      // Before anything is awaited: a second call for the same key must find it.
      this.#open.set(key, opening);
      opening.catch(() => this.#open.delete(key));
      await this.#closeUnused();
    }
    const tunnel = await opening;
    tunnel.usedAt = performance.now();
    return tunnel;
  }

  close(): void {
    for (const opening of this.#open.values()) opening.then((tunnel) => tunnel.close(), ignore);
    this.#open.clear();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #begin(route: ProxyRoute): Promise<Tunnel> {
    // Only this user may enter a folder made by `mkdtemp`.
    this.#folder ??= mkdtempSync(join(tmpdir(), 'tollgate-'));
    this.#count += 1;
    const tunnel = new Tunnel(join(this.#folder, String(this.#count)), route);
    await tunnel.open();
    return tunnel;
  }

  async #closeUnused(): Promise<void> {
    for (const [key, opening] of this.#open) {
      const tunnel = await opening.catch(ignore);
      if (tunnel?.isUnused !== true) continue;
      this.#open.delete(key);
      tunnel.close();
    }
  }
}

function ignore(): undefined {}
