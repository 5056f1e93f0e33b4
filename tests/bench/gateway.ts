// Tollgate as operators run it: its own process, one channel that leads to the mock, one token without limit. Everything
// that costs time in production is on: durable holds, settlement, log rows, limits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectUpstream } from '#tests/support/channels.ts';
import { startGateway as launch } from '#tests/support/gateway.ts';
import { rootPassword, rootToken } from '#tests/support/root-token.ts';

export interface StartedGateway {
  url: string;
  key: string;
  processId: number;
  stop: () => Promise<void>;
}

const models = ['gpt-4o-mini'];
/** Behind a channel of another format: a chat call to it is converted both ways. */
const convertedModels = ['claude-opus-4-5'];
const anthropicType = 14;

export async function startGateway(options: {
  upstream: string;
  databaseUrl?: string;
}): Promise<StartedGateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const place = { dataDir, databaseUrl: options.databaseUrl };
  await connectUpstream(place, { base_url: options.upstream, models });
  await connectUpstream(place, {
    base_url: options.upstream,
    models: convertedModels,
    type: anthropicType,
  });
  const gateway = await launch({
    dataDir,
    environment: {
      DATABASE_URL: options.databaseUrl ?? '',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
    },
  });
  const stop = async (): Promise<void> => {
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: gateway.url, key: await rootToken(gateway.url), processId: gateway.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
