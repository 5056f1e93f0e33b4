// `tollgate health`: asks the server of this machine whether it should get traffic; for health checks of containers.
import type { Environment } from '#server/platform/env.ts';

const PATIENCE_MS = 4000;

export async function health({ port, host, certificateFiles }: Environment): Promise<number> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const scheme = certificateFiles === undefined ? 'http' : 'https';
  const address = `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}/readyz`;
  try {
    // The certificate names the public address, not this one.
    const tls = { rejectUnauthorized: false };
    const response = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS), tls });
    console.log(`${response.status} ${(await response.text()).trim()}`);
    return response.ok ? 0 : 1;
  } catch (error) {
    console.error(`${address} does not answer: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
