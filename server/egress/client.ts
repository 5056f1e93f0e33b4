// HTTP/1.1 to upstreams on our own sockets: kept-alive connections per address, deadlines for each phase, back-pressure,
// and an abort that hangs up at once. It runs on the relay's thread: no other thread is woken for a chunk.
import type { Endpoint } from './connection.ts';
import { OutgoingCall, type OutboundCall, type OutboundRequest } from './outbound-call.ts';
import { Pool } from './pool.ts';
import { Roster } from './roster.ts';

export interface Client {
  request(endpoint: Endpoint, host: string, request: OutboundRequest): OutboundCall;
  /** Lets go of connections that carry nothing. */
  close(): void;
}

const tickMilliseconds = 250;

export function createClient(): Client {
  const pools = new Map<string, Pool>();
  /** The pool an endpoint used last, without making its key. */
  const nearby = new WeakMap<Endpoint, Pool>();
  const running = new Roster<OutgoingCall>();
  let ticks = 0;
  const timer = setInterval(() => {
    const clock = performance.now();
    running.visit((call) => call.tick(clock));
    ticks += 1;
    if (ticks % 20 !== 0) return;
    for (const [key, pool] of pools) {
      if (!pool.prune(clock)) continue;
      pool.isKept = false;
      pools.delete(key);
    }
  }, tickMilliseconds);
  timer.unref();
  /** Endpoints are made anew now and then; those of one address share its connections. */
  function poolOf(endpoint: Endpoint): Pool {
    const near = nearby.get(endpoint);
    if (near?.isKept === true) return near;
    const key = `${endpoint.serverName ?? ''} ${endpoint.address} ${endpoint.port} ${endpoint.proxy?.key ?? ''}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      pool = new Pool(endpoint);
      pools.set(key, pool);
    }
    nearby.set(endpoint, pool);
    return pool;
  }

  return {
    request(endpoint, host, request) {
      const call = new OutgoingCall(poolOf(endpoint), host, request, running);
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
