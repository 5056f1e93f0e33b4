// TXT records, by which a domain proves who controls it. A question to a name server carries the name only.
import { Resolver } from 'node:dns/promises';

const TIMEOUT_MILLISECONDS = 5000;
const TRIES = 2;

/** A name server answered: the name does not exist, or has no such record. */
const NONE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Undefined: no name server answered. `requireHost` throws for a name that may not even be asked for. */
export async function textRecords(
  name: string,
  requireHost: (name: string) => void,
  servers: readonly string[] = [],
): Promise<string[] | undefined> {
  requireHost(name);
  const resolver = new Resolver({ timeout: TIMEOUT_MILLISECONDS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  try {
    const found = await resolver.resolveTxt(name);
    // A long record comes in pieces of 255 bytes.
    return found.map((pieces) => pieces.join(''));
  } catch (error) {
    return NONE.has((error as { code?: unknown }).code) ? [] : undefined;
  }
}
