// A TCP proxy that disturbs connections on purpose: faults of the network between two healthy programs. The two directions
// are disturbed separately; `spoil()` affects running connections at once.
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

export interface Spoil {
  /** Every piece arrives this much later. */
  delayMilliseconds?: number;
  /** Pieces of at most this size, each written on its own. */
  sliceBytes?: number;
  bytesPerSecond?: number;
  /** After so many bytes nothing passes, but the connection stays open (a dead peer without FIN). */
  stallAfterBytes?: number;
  /** After so many bytes both sides get a TCP reset. */
  resetAfterBytes?: number;
  /** After so many bytes the receiver gets a FIN; the other direction continues. */
  halfCloseAfterBytes?: number;
}

export interface ChaosProxy {
  port: number;
  url: string;
  /** Connections open now. */
  connections: () => number;
  /** Replaces the faults of both directions; nothing given = none. Stalled data flows again. */
  spoil: (spoils: { toServer?: Spoil; toClient?: Spoil }) => void;
  /** New connections are reset at once, as if the port were closed: all, none, or those of certain clients' ports. */
  refuse: (refusing: boolean | ((clientPort: number) => boolean)) => void;
  /** Sends a TCP reset to every open connection, or to those of certain clients' ports; returns to how many. */
  resetAll: (isMeant?: (clientPort: number) => boolean) => number;
  /** New connections go to this server; open ones stay where they are. */
  redirect: (target: ProxyTarget) => void;
  stop: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
}

export interface ProxyTarget {
  port: number;
  host?: string;
}

interface Pair {
  client: Socket;
  server: Socket;
}

export async function startChaosProxy(firstTarget: ProxyTarget): Promise<ChaosProxy> {
  let target = firstTarget;
  const pairs = new Set<Pair>();
  let toServer: Spoil = {};
  let toClient: Spoil = {};
  let isRefused: (clientPort: number) => boolean = () => false;
  let wake = Promise.withResolvers<void>();

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (isRefused(client.remotePort ?? 0)) {
      client.on('error', ignore);
      client.resetAndDestroy();
      return;
    }
    const host = target.host ?? '127.0.0.1';
    const server = connect({ port: target.port, host, allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, server };
    pairs.add(pair);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // A broken side breaks the other in the same way: a reset stays a reset.
      one.on('error', () => other.resetAndDestroy());
      one.on('close', () => {
        pairs.delete(pair);
        if (!other.destroyed && !other.writableEnded) other.destroy();
      });
    }
    const changed = (): Promise<void> => wake.promise;
    void pump(client, server, pair, () => toServer, changed);
    void pump(server, client, pair, () => toClient, changed);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;

  const stop = async (): Promise<void> => {
    for (const { client, server } of pairs) {
      client.destroy();
      server.destroy();
    }
    wake.resolve();
    await new Promise<void>((resolve) => listener.close(() => resolve()));
  };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => pairs.size,
    spoil(spoils) {
      toServer = spoils.toServer ?? {};
      toClient = spoils.toClient ?? {};
      wake.resolve();
      wake = Promise.withResolvers<void>();
    },
    refuse(refusing) {
      isRefused = typeof refusing === 'function' ? refusing : () => refusing;
    },
    resetAll(isMeant = () => true) {
      const meant = [...pairs].filter(({ client }) => isMeant(client.remotePort ?? 0));
      meant.forEach(reset);
      return meant.length;
    },
    redirect(next) {
      target = next;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function pump(
  source: Socket,
  sink: Socket,
  pair: Pair,
  spoilNow: () => Spoil,
  changed: () => Promise<void>,
): Promise<void> {
  let passed = 0;
  try {
    // Plain iteration destroys the socket at its end, and with it the direction that still flows.
    const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    for await (const chunk of chunks) {
      let rest = chunk;
      while (rest.length > 0) {
        const spoil = spoilNow();
        if (passed >= (spoil.resetAfterBytes ?? Infinity)) return reset(pair);
        if (passed >= (spoil.halfCloseAfterBytes ?? Infinity)) {
          sink.end();
          return void source.resume();
        }
        if (passed >= (spoil.stallAfterBytes ?? Infinity)) {
          await changed();
          if (sink.destroyed) return;
          continue;
        }
        const piece = rest.subarray(0, allowance(spoil, passed));
        rest = rest.subarray(piece.length);
        const rateDelay =
          spoil.bytesPerSecond === undefined ? 0 : (piece.length / spoil.bytesPerSecond) * 1000;
        const delayMilliseconds = (spoil.delayMilliseconds ?? 0) + rateDelay;
        if (delayMilliseconds > 0) await Bun.sleep(delayMilliseconds);
        if (sink.destroyed) return;
        passed += piece.length;
        // Bun merges writes of one tick; each slice must leave separately.
        if (!sink.write(piece)) await drained(sink);
        else if (spoil.sliceBytes !== undefined) await nextTick();
      }
      if (passed >= (spoilNow().resetAfterBytes ?? Infinity)) return reset(pair);
    }
    if (!sink.destroyed) sink.end();
  } catch {
    // The source broke; its error handler has already reset the other side.
  }
}

/** How many bytes may pass in one piece before the next fault. */
function allowance(spoil: Spoil, passed: number): number {
  // A tenth of a second's worth keeps a slow connection steady.
  const rateBytes =
    spoil.bytesPerSecond === undefined ? Infinity : Math.max(1, Math.floor(spoil.bytesPerSecond / 10));
  return Math.min(
    spoil.sliceBytes ?? Infinity,
    rateBytes,
    (spoil.resetAfterBytes ?? Infinity) - passed,
    (spoil.halfCloseAfterBytes ?? Infinity) - passed,
    (spoil.stallAfterBytes ?? Infinity) - passed,
  );
}

function reset({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ignore(): void {
  // A refused client may have left already.
}
