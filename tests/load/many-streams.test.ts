// Ten thousand streams at once through two processes on one PostgreSQL; `npm test` opens a few hundred.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { LoadGenerator } from '#tests/bench/children.ts';
import { startGateway, type StartedGateway } from '#tests/bench/gateway.ts';
import { spreadOf } from '#tests/bench/load-job.ts';
import { chatBody } from '#tests/bench/phases.ts';
import { residentMegabytes } from '#tests/bench/process-stats.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { spawnMockUpstream } from '#mock/upstream/spawn.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { isCrowded, isLong, printFigures } from '#tests/chaos/extent.ts';

setDefaultTimeout(240_000);

/** Two descriptors for each stream, of the 20,000 a process has. */
const streamsPerProcess = isLong ? 5000 : 200;
const eventMilliseconds = isLong ? 5000 : 1000;
const eventsPerStream = isLong ? 12 : 4;
/** Through each process. */
const openedPerSecond = 200;
const memoryLimitMegabytes = 1536;
const delayLimitMilliseconds = 100;

test(`D5 ${2 * streamsPerProcess} streams at once over two processes: all complete, memory and event loop delay stay small (plan D5)`, async () => {
  const postgres = await startPostgres();
  const mock = await spawnMockUpstream();
  const gateways: StartedGateway[] = [];
  const generators = [new LoadGenerator(), new LoadGenerator()];
  const wasCrowded = isCrowded();
  try {
    const place = { upstream: mock.url, databaseUrl: postgres.url };
    const first = await startGateway(place);
    gateways.push(first, await startGateway({ ...place, beside: first }));
    const watch = watchProcesses(gateways);
    const body = chatBody({ outputTokens: eventsPerStream, chunkDelayMilliseconds: eventMilliseconds });
    const results = await Promise.all(
      gateways.map(({ url, key }, index) => {
        const streams = {
          connections: streamsPerProcess,
          requests: streamsPerProcess,
          perSecond: openedPerSecond,
        };
        const run = generators[index]?.run({ url, key, path: '/v1/chat/completions', body, ...streams });
        return run ?? Promise.reject(new Error('a generator for each gateway'));
      }),
    );
    const { mostMegabytes, delays } = await watch.stop();
    printFigures('many streams', {
      held: results.map((result) => result.mostOpenStreams),
      completed: results.map((result) => result.statuses),
      mostMegabytes,
      delayMilliseconds: spreadOf(delays),
      firstEvent: results.map((result) => result.firstEventMilliseconds.p99),
    });
    for (const { errors, statuses, events, requests } of results) {
      expect(errors).toBe(0);
      expect(requests).toBe(streamsPerProcess);
      expect(events).toBe((statuses['200'] ?? 0) * (eventsPerStream + 3));
    }
    expect(mostMegabytes).toBeLessThan(memoryLimitMegabytes);
    expect(delays.length).toBeGreaterThan(10);
    const held = results.reduce((sum, { mostOpenStreams }) => sum + mostOpenStreams, 0);
    const completed = results.reduce((sum, { statuses }) => sum + (statuses['200'] ?? 0), 0);
    expect(held).toBeGreaterThan(streamsPerProcess);
    faultSeen(
      'D5',
      `${held} streams at once, ${completed} complete, ${Math.round(mostMegabytes)} MB, loop delay p99 ${Math.round(spreadOf(delays).p99)} ms`,
    );
    // A machine that stalls for seconds refuses new callers meanwhile, as it should.
    if (wasCrowded || isCrowded()) return;
    for (const { statuses, mostOpenStreams } of results) {
      expect(statuses).toEqual({ 200: streamsPerProcess });
      expect(mostOpenStreams).toBe(streamsPerProcess);
    }
    if (isLong) expect(spreadOf(delays).p99).toBeLessThan(delayLimitMilliseconds);
  } finally {
    for (const generator of generators) await generator.stop();
    for (const gateway of gateways) await gateway.stop();
    await mock.stop();
    await postgres.stop();
  }
});

/** A health check passes the event loop several times, so its time is an upper bound of the loop's delay. */
function watchProcesses(gateways: readonly StartedGateway[]) {
  const delays: number[] = [];
  let mostMegabytes = 0;
  const ending = new AbortController();
  const ended = (async () => {
    while (!ending.signal.aborted) {
      const sum = gateways.reduce((total, { processId }) => total + residentMegabytes(processId), 0);
      mostMegabytes = Math.max(mostMegabytes, sum);
      for (const { url } of gateways) {
        const askedAt = performance.now();
        const answer = await fetch(`${url}/healthz`);
        await answer.text();
        delays.push(performance.now() - askedAt);
      }
      await Bun.sleep(50);
    }
  })();
  return {
    async stop() {
      ending.abort();
      await ended;
      return { mostMegabytes, delays };
    },
  };
}
