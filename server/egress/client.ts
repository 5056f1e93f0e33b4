// HTTP/1.1 to upstreams on our own sockets: kept-alive connections per address, deadlines for each phase, back-pressure,
// and an abort that hangs up at once. It runs on the relay's thread: no other thread is woken for a chunk.
import type { Endpoint } from './connection.ts';
import { OutgoingCall, type OutboundCall, type OutboundRequest } from './outbound-call.ts';
import { Pool } from './pool.ts';

export interface Client {
  request(endpoint: Endpoint, request: OutboundRequest): OutboundCall;
  /** Lets go of connections that carry nothing. */
  close(): void;
}

const tickMilliseconds = 250;

export function createClient(): Client {
  const pools = new Map<string, Pool>();
  const running = new Set<OutgoingCall>();
  let clock = performance.now();
  let ticks = 0;
  const timer = setInterval(() => {
    clock = performance.now();
    for (const call of running) call.tick(clock);
    ticks += 1;
    if (ticks % 20 === 0) for (const [key, pool] of pools) if (pool.prune(clock)) pools.delete(key);
  }, tickMilliseconds);
  timer.unref();
  return {
    request(endpoint, request) {
      const key = `${endpoint.serverName ?? ''} ${endpoint.address} ${endpoint.port} ${endpoint.proxy?.key ?? ''}`;
      let pool = pools.get(key);
      if (pool === undefined) {
        pool = new Pool(endpoint);
        pools.set(key, pool);
      }
      const call = new OutgoingCall(pool, request, running);
      call.start();
      return call;
    },
    close() {
      clearInterval(timer);
      for (const pool of pools.values()) pool.drop();
      pools.clear();
    },
  };
}
