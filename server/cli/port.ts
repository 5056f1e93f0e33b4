// Refuses a port that another program listens on, before anything is created: after a failed start nothing is left behind.
import type { Environment } from '#server/env.ts';

export interface ReservedPort {
  release(): void;
}

/**
 * Throws EADDRINUSE. The probe is exclusive: workers share their port (SO_REUSEPORT), so a second set of workers could bind it
 * without an error and would take a part of the connections of the first.
 */
export function reservePort({ host, port }: Pick<Environment, 'host' | 'port'>): ReservedPort {
  if (port === 0) return { release() {} };
  const probe = Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } });
  return { release: () => probe.stop(true) };
}
