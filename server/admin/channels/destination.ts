// Where a channel's key is sent: its address, and the proxy that could read it. The stored key is sent only there; for
// another destination the operator must enter the key again and confirm with a step-up.
import type { Row } from '#server/platform/store/schema.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { proxyOf } from './proxy.ts';
import { factsOf } from './types.ts';

type Columns = Pick<Row<'channels'>, 'type' | 'base_url' | 'other' | 'setting'>;

export function destinationOf({ type, base_url, other, setting }: Columns): string {
  const provider = providerOf(type);
  if (base_url === '' && provider?.decidesAddress) {
    const hosts = provider.decidesAddress(other) ?? [`${type} ${other}`];
    return [...new Set(hosts)].sort().join(' ');
  }
  const address = base_url || (factsOf(type)?.baseUrl ?? '');
  const url = URL.parse(address);
  if (url === null) return `${address} ${type}`;
  // With the path: on a host that several tenants share, another path is another owner.
  const place = url.origin + url.pathname.replace(/\/+$/, '');
  // With TLS the proxy cannot read the key.
  return url.protocol === 'https:' ? place : `${place} ${proxyOf(setting)}`;
}
