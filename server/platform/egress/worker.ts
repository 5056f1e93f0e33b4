// The operator's proxy worker: calls of the `system` and `user` classes go through it, so that the other side does not see
// this server's address. Calls of channels never do. The rules for addresses apply here, before the worker is asked.
import { type Egress, type EgressInit } from './egress.ts';
import { EgressError } from './refusal.ts';

export interface Worker {
  /** Blank: no worker, calls go out directly. */
  readonly address: string;
  /** Sent with each order; the worker serves no one without it. */
  readonly key: string;
}

type Door = Pick<Egress, 'fetch' | 'check'>;

export interface WorkerOptions {
  /** Read for each call: settings change. */
  worker: () => Worker;
  /** Origins the `system` class may reach. */
  systemOrigins: () => readonly string[];
}

export function throughWorker(door: Door, { worker, systemOrigins }: WorkerOptions): Pick<Egress, 'fetch'> {
  return {
    async fetch(kind, url, init = {}) {
      const { address, key } = worker();
      // The worker stands outside: it cannot reach the operator's private networks.
      if (address === '' || kind === 'channel' || kind === 'user-private') return door.fetch(kind, url, init);
      const origin = URL.parse(url)?.origin ?? '';
      if (kind === 'system' && !systemOrigins().includes(origin))
        throw new EgressError('unpinned_origin', origin);
      await door.check(kind, url);
      return door.fetch('system', address, { ...init, ...orderOf(url, key, init) });
    },
  };
}

/** The order as workers of the family read it; a JSON body travels as JSON. */
function orderOf(url: string, key: string, { method = 'GET', headers = {}, body }: EgressInit) {
  const order = { url, key, method, headers, ...(body === undefined ? {} : { body: bodyOf(headers, body) }) };
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(order),
  };
}

function bodyOf(headers: Record<string, string>, body: string | Uint8Array): unknown {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return type.includes('application/json') ? JSON.parse(text) : text;
}

export function workerOrigins({ address }: Worker): string[] {
  const origin = URL.parse(address)?.origin;
  return origin === undefined ? [] : [origin];
}
