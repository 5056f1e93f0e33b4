// Two gateways on one PostgreSQL behind nginx, as compose.yaml runs them: one balance, whichever gateway a call reaches.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openReader } from '#server/platform/store/store.ts';
import { startGateway, type StartedGateway } from '#tests/bench/gateway.ts';
import { temporaryPlace } from '#tests/support/databases.ts';
import { behaviourMessage, startMockUpstream } from '#mock/upstream/index.ts';
import { startNginx, whyNoNginx } from '#tests/support/nginx.ts';
import { isLong, printFigures } from './extent.ts';
import { addPeople, type Person } from './people.ts';

setDefaultTimeout(300_000);

// Too long for `npm test`, where the ledgers of two nodes are tested without processes and proxy.
const reason = isLong ? whyNoNginx() : 'only in npm run test:chaos';
if (isLong && reason !== undefined) process.stderr.write(`two gateways: skipped, ${reason}\n`);
const calls = 500;
/** Well above the smallest hold (`PreConsumedQuota`), and below the most output that a hold is made for. */
const outputTokens = 4000;

test.skipIf(reason !== undefined)(
  '500 parallel calls through nginx with a balance for ten: both gateways together admit at most ten',
  async () => {
    const mock = startMockUpstream();
    const place = await temporaryPlace('postgres');
    const { databaseUrl = '' } = place;
    const first = await startGateway({ upstream: mock.url, databaseUrl });
    const second = await startGateway({ upstream: mock.url, databaseUrl, beside: first });
    const port = (gateway: StartedGateway) => Number(new URL(gateway.url).port);
    const nginx = await startNginx(port(first), {
      [`server 127.0.0.1:${port(first)};`]: `server 127.0.0.1:${port(first)}; server 127.0.0.1:${port(second)};`,
      'limit_conn per_address 100;': `limit_conn per_address ${calls * 2};`,
    });
    // The reserved amount is what the call costs: the answer is as long as it may be.
    const body = JSON.stringify({
      model: 'gpt-4o-mini',
      max_tokens: outputTokens,
      messages: [
        { role: 'user', content: behaviourMessage({ outputTokens, headersDelayMilliseconds: 300 }) },
      ],
    });
    const call = async (url: string, key: string) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body,
        keepalive: false,
      });
      await answer.text();
      return answer.status;
    };
    try {
      // What one call costs, from a call of root.
      expect(await call(nginx.url, first.key)).toBe(200);
      const charge = await chargeOf(place);
      expect(charge).toBeGreaterThan(0);
      const poor = await addBeside(first, databaseUrl, charge * 10);
      const servedBefore = mock.requests.length;
      const statuses = await Promise.all(Array.from({ length: calls }, () => call(nginx.url, poor.key)));
      const admitted = statuses.filter((status) => status === 200).length;
      const counts = Object.fromEntries(
        [...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]),
      );
      printFigures('two gateways', { statuses: counts, charge });
      expect(admitted).toBeGreaterThan(0);
      expect(admitted).toBeLessThanOrEqual(10);
      expect(mock.requests.length - servedBefore).toBe(admitted);
      expect(await quotaOf(place, poor)).toBe(charge * (10 - admitted));
      expect(await read(place, checkInvariants)).toEqual([]);
    } finally {
      await nginx[Symbol.asyncDispose]();
      await second.stop();
      await first.stop();
      await mock.stop();
      await place.remove();
    }
  },
);

/** A user that another node adds. */
async function addBeside(gateway: StartedGateway, databaseUrl: string, quota: number): Promise<Person> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-people-'));
  copyFileSync(path.join(gateway.dataDir, 'master.key'), path.join(dataDir, 'master.key'));
  try {
    const [person] = await addPeople({ dataDir, databaseUrl }, 1, quota);
    if (person === undefined) throw new Error('no user was added');
    return person;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Place = Parameters<typeof openReader>[0];

async function read<T>(
  place: Place,
  query: (reader: Awaited<ReturnType<typeof openReader>>) => Promise<T>,
): Promise<T> {
  const reader = await openReader(place);
  try {
    return await query(reader);
  } finally {
    await reader.close();
  }
}

const chargeOf = (place: Place): Promise<number> =>
  read(place, async ({ db }) => {
    const rows = db.selectFrom('logs').select('quota').where('type', '=', LOG_TYPE.consumption);
    return (await rows.executeTakeFirstOrThrow()).quota;
  });

const quotaOf = (place: Place, { userId }: Person): Promise<number> =>
  read(place, async ({ db }) => {
    const rows = db.selectFrom('users').select('quota').where('id', '=', userId);
    return (await rows.executeTakeFirstOrThrow()).quota;
  });
