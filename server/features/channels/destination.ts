// Where a channel's key is sent: its address, and the proxy that could read it. The stored key is sent only there; for
// another destination the operator must enter the key again.
import type { Row } from '#server/store/schema.ts';
import { proxyOf } from './proxy.ts';
import { factsOf } from './types.ts';

type Columns = Pick<Row<'channels'>, 'type' | 'base_url' | 'setting'>;

export function destinationOf({ type, base_url, setting }: Columns): string {
  const address = base_url || (factsOf(type)?.baseUrl ?? '');
  const url = URL.parse(address);
  if (url === null) return `${address} ${type}`;
  // With TLS the proxy cannot read the key.
  return url.protocol === 'https:' ? url.origin : `${url.origin} ${proxyOf(setting)}`;
}
