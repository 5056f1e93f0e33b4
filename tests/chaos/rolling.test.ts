// An upgrade as docs/guides/operate.md says: two gateways on PostgreSQL behind nginx, each taken out, stopped, started and
// put back while calls run. No call fails, and the books agree with what the upstream served.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openReader } from '#server/platform/store/store.ts';
import { startGateway } from '#tests/bench/gateway.ts';
import { chatBody } from '#tests/bench/phases.ts';
import { temporaryPlace } from '#tests/support/databases.ts';

import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { startNginx, whyNoNginx } from '#tests/support/nginx.ts';
import { isLong, printFigures } from './extent.ts';

setDefaultTimeout(300_000);

const reason = process.platform === 'linux' ? whyNoNginx() : 'needs /proc';
if (reason !== undefined) process.stderr.write(`rolling upgrade: skipped, ${reason}\n`);
const callers = 8;
/** Restarts of each gateway. */
const rounds = isLong ? 5 : 1;

test.skipIf(reason !== undefined)('a rolling upgrade under load fails no call (plan C17)', async () => {
  const mock = startMockUpstream();
  const place = await temporaryPlace('postgres');
  const { databaseUrl = '' } = place;
  const options = { upstream: mock.url, databaseUrl };
  const portOf = ({ url }: { url: string }) => new URL(url).port;
  const gateways = [await startGateway(options)];
  const [first] = gateways;
  if (first === undefined) throw new Error('there is no gateway');
  gateways.push(await startGateway({ ...options, beside: first }));
  const server = (port: string, isDown = false) => `server 127.0.0.1:${port}${isDown ? ' down' : ''};`;
  const nginx = await startNginx(Number(portOf(first)), {
    [server(portOf(first))]: gateways.map((each) => server(portOf(each))).join(' '),
  });
  const statuses: Record<string, number> = {};
  const load = { isOver: false };
  async function call(streams: boolean): Promise<void> {
    const body = streams ? chatBody({ outputTokens: 20, chunkDelayMilliseconds: 50 }) : chatBody();
    const headers = { Authorization: `Bearer ${first?.key}`, 'Content-Type': 'application/json' };
    // A new connection each time: a kept one may be closed by the proxy at the moment the next call is sent.
    const answer = await fetch(`${nginx.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body,
      keepalive: false,
    })
      .then(async (response) =>
        (await response.text()).includes(streams ? '[DONE]' : 'choices')
          ? response.status
          : `cut ${response.status}`,
      )
      .catch((error: unknown) => String(error));
    statuses[answer] = (statuses[answer] ?? 0) + 1;
  }
  const running = Array.from({ length: callers }, async (_, index) => {
    while (!load.isOver) await call(index % 2 === 0);
  });
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, gateway] of [...gateways].entries()) {
        await nginx.change(server(portOf(gateway)), server(portOf(gateway), true));
        const beside = gateways[1 - index];
        if (beside === undefined) throw new Error('there is no second gateway');
        await gateway.stop();
        gateways[index] = await startGateway({ ...options, beside });
        await nginx.change(server(portOf(gateway), true), server(portOf(gateways[index])));
        const before = statuses['200'] ?? 0;
        while ((statuses['200'] ?? 0) < before + callers) await Bun.sleep(20);
      }
    }
    load.isOver = true;
    await Promise.all(running);
    printFigures('rolling upgrade', { statuses, restarts: rounds * 2 });
    expect(Object.keys(statuses)).toEqual(['200']);
    faultSeen('C17', `${rounds * 2} restarts under load, ${statuses['200'] ?? 0} calls, none failed`);
  } finally {
    load.isOver = true;
    await Promise.all(running);
    await nginx[Symbol.asyncDispose]();
    for (const gateway of gateways) await gateway.stop();
  }
  const reader = await openReader(place);
  try {
    expect(await checkInvariants(reader)).toEqual([]);
    const { rows } = await reader.db
      .selectFrom('logs')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where('type', '=', LOG_TYPE.consumption)
      .executeTakeFirstOrThrow();
    expect([rows, mock.requests.length]).toEqual([statuses['200'] ?? 0, statuses['200'] ?? 0]);
  } finally {
    await reader.close();
    await mock.stop();
    await place.remove();
  }
});
