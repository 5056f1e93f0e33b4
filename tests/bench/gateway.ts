// Tollgate as operators run it: its own process, one channel that leads to the mock, one token without limit. Everything
// that costs time in production is on: durable holds, settlement, log rows, limits.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectUpstream } from '#tests/support/channels.ts';
import { startGateway as launch } from '#tests/support/gateway.ts';
import { rootPassword, rootToken } from '#tests/support/root-token.ts';

export interface StartedGateway {
  url: string;
  key: string;
  processId: number;
  dataDir: string;
  stop: () => Promise<void>;
}

const models = ['gpt-4o-mini'];
/** Behind a channel of another format: a chat call to it is converted both ways. */
const convertedModels = ['claude-opus-4-5'];
const anthropicType = 14;

export async function startGateway(options: {
  upstream: string;
  databaseUrl?: string;
  environment?: Record<string, string>;
  /** Another node on that one's database: the same channels, the same token, the same key of secrets. */
  beside?: StartedGateway;
}): Promise<StartedGateway> {
  const { upstream, beside } = options;
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const place = { dataDir, databaseUrl: options.databaseUrl };
  if (beside === undefined) {
    await connectUpstream(place, { base_url: upstream, models });
    await connectUpstream(place, { base_url: upstream, models: convertedModels, type: anthropicType });
  } else copyFileSync(join(beside.dataDir, 'master.key'), join(dataDir, 'master.key'));
  const gateway = await launch({
    dataDir,
    environment: {
      DATABASE_URL: options.databaseUrl ?? '',
      INITIAL_ROOT_PASSWORD: rootPassword,
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      LOG_LEVEL: 'error',
      ...options.environment,
    },
  });
  const stop = async (): Promise<void> => {
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const key = beside?.key ?? (await rootToken(gateway.url));
    return { url: gateway.url, key, processId: gateway.pid, dataDir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
