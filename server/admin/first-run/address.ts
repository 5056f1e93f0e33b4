// Whether the server address of the settings leads to this installation. Links in mails, pictures and callbacks of payments
// use it.
import { z } from 'zod';
import type { FirstRunDependencies, StepFinding } from './dependencies.ts';

const TIMEOUT_SECONDS = 4;
const LIMIT_BYTES = 1_000_000;
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const answer = z.object({ data: z.object({ version: z.string(), server_address: z.string() }) });

export async function checkAddress(
  { settings, egress, version }: FirstRunDependencies,
  browserOrigin: string,
): Promise<StepFinding> {
  const address = settings.current.ServerAddress;
  if (!URL.canParse(address)) return { state: 'open', reason: 'none' };
  const { hostname, origin } = new URL(address);
  if (LOCAL.test(hostname)) return { state: 'open', reason: 'local', detail: address };
  // The browser that asks has come through this address.
  if (origin === browserOrigin) return { state: 'done', detail: address };
  try {
    const url = `${address.replace(/\/+$/, '')}/api/status`;
    const response = await egress.fetch('system', url, {
      timeoutSeconds: TIMEOUT_SECONDS,
      limitBytes: LIMIT_BYTES,
    });
    const found = answer.safeParse(await response.json().catch(() => undefined));
    const isOurs =
      found.success && found.data.data.version === version && found.data.data.server_address === address;
    return isOurs
      ? { state: 'done', detail: address }
      : { state: 'failed', reason: 'other_site', detail: address };
  } catch {
    return { state: 'failed', reason: 'unreachable', detail: address };
  }
}
