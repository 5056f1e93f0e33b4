// TXT records, by which a domain proves who controls it. A question to a name server carries the name only.
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MILLISECONDS = 5000;
const TRIES = 2;

/** `requireHost` throws for a name that may not even be asked for. */
export async function textRecords(
  name: string,
  requireHost: (name: string) => void,
  servers: readonly string[] = [],
): Promise<string[]> {
  requireHost(name);
  const resolver = new Resolver({ timeout: TIMEOUT_MILLISECONDS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const found = await resolver.resolveTxt(name).catch(() => []);
  // A long record comes in pieces of 255 bytes.
  return found.map((pieces) => pieces.join(''));
}
