// Where a channel's key goes: its address, and the proxy that could read it on the way. A stored key goes there and nowhere
// else; who sends it elsewhere must know it.
import type { Row } from '#server/store/schema.ts';
import { proxyOf } from './proxy.ts';
import { factsOf } from './types.ts';

type Columns = Pick<Row<'channels'>, 'type' | 'base_url' | 'setting'>;

export function destinationOf({ type, base_url, setting }: Columns): string {
  const address = base_url || (factsOf(type)?.baseUrl ?? '');
  const url = URL.parse(address);
  if (url === null) return `${address} ${type}`;
  // Inside TLS a proxy reads nothing.
  return url.protocol === 'https:' ? url.origin : `${url.origin} ${proxyOf(setting)}`;
}
