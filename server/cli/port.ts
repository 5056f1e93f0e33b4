// Refuses a port that another program listens on, before anything is created: after a failed start nothing is left behind.
import type { Environment } from '#server/platform/env.ts';
import { readCertificate } from '#server/admin/http/certificate.ts';
import { CommandError } from './explain.ts';

export interface ReservedPort {
  release(): void;
}

/**
 * Throws EADDRINUSE. The probe is exclusive: workers share their port (SO_REUSEPORT), so a second set of workers could bind it
 * without an error and would take a part of the connections of the first.
 */
export function reservePort({ host, port }: Pick<Environment, 'host' | 'port'>): ReservedPort {
  try {
    const probe = Bun.listen({ hostname: host, port, exclusive: true, socket: { data() {} } });
    return { release: () => probe.stop(true) };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === 'EADDRINUSE' || code === 'EACCES') throw error;
    throw new CommandError(
      `HOST: ${host} is not an address of this machine, nor a name of one. Use 0.0.0.0 for all addresses.`,
    );
  }
}

/** Of the server on this machine, for people. */
export function localAddress({
  port,
  certificateFiles,
}: Pick<Environment, 'port' | 'certificateFiles'>): string {
  return `${certificateFiles === undefined ? 'http' : 'https'}://localhost:${port}`;
}

/** Refuses a certificate that cannot be used before anything is created. */
export function checkCertificate({ certificateFiles }: Pick<Environment, 'certificateFiles'>): void {
  if (certificateFiles === undefined) return;
  try {
    readCertificate(certificateFiles);
  } catch (error) {
    throw new CommandError(`TLS_CERT, TLS_KEY: ${error instanceof Error ? error.message : String(error)}`);
  }
}
