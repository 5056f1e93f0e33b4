// Five times the calls a real gateway can serve, from callers who ignore refusals.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { LoadGenerator } from '#tests/bench/children.ts';
import { startGateway, type StartedGateway } from '#tests/bench/gateway.ts';
import type { LoadJob } from '#tests/bench/load-job.ts';
import { chatBody } from '#tests/bench/phases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { spawnMockUpstream, type SpawnedMock } from '#mock/upstream/spawn.ts';
import { isCrowded, isLong, printFigures } from '#tests/chaos/extent.ts';

setDefaultTimeout(120_000);

/** The first calls of a burst are all admitted, and wait for each other until the gate has measured it. */
const onsetSeconds = 5;
const overloadSeconds = isLong ? 20 : 3;
const usualSeconds = isLong ? 3 : 1.5;
const times = 5;
const runningStreams = 50;
const recoveryLimitSeconds = 10;
/** Longest time of an admitted call at five times the load, with everything on one small machine. */
const admittedLimitMilliseconds = 1500;
const refusedLimitMilliseconds = 1000;

let mock: SpawnedMock;
let gateway: StartedGateway;
const load = new LoadGenerator();
const streams = new LoadGenerator();

beforeAll(async () => {
  mock = await spawnMockUpstream();
  gateway = await startGateway({ upstream: mock.url });
});

afterAll(async () => {
  await load.stop();
  await streams.stop();
  await gateway.stop();
  await mock.stop();
});

/** A prompt of some kilobytes costs the gateway time, which estimates it, and the upstream hardly any. */
const shortCall = chatBody().replace('Answer', `${'A word. '.repeat(1000)}Answer`);

function job(rest: Partial<LoadJob>): LoadJob {
  const { url, key } = gateway;
  return { url, key, path: '/v1/chat/completions', body: shortCall, connections: 64, ...rest };
}

test('D6 with five times its load it refuses quickly, serves the admitted calls in time, and recovers (plan D6)', async () => {
  const wasCrowded = isCrowded();
  await load.run(job({ seconds: usualSeconds }));
  const measured = await load.run(job({ seconds: usualSeconds }));
  const servedPerSecond = measured.requests / measured.seconds;
  expect(measured.statuses).toEqual({ 200: measured.requests });

  const eventMilliseconds = 200;
  const outputTokens = ((onsetSeconds + overloadSeconds + 3) * 1000) / eventMilliseconds;
  const body = chatBody({ outputTokens, chunkDelayMilliseconds: eventMilliseconds });
  const held = streams.run(job({ body, connections: runningStreams, requests: runningStreams }));
  await Bun.sleep(1000);
  const offered = { perSecond: servedPerSecond * times, connections: 4000 };
  const onset = await load.run(job({ ...offered, seconds: onsetSeconds }));
  const result = await load.run(job({ ...offered, seconds: overloadSeconds }));
  const endedAt = performance.now();

  let recovered = await load.run(job({ perSecond: servedPerSecond * 0.2, seconds: 1 }));
  while (recovered.statuses['503'] !== undefined && performance.now() - endedAt < recoveryLimitSeconds * 1000)
    recovered = await load.run(job({ perSecond: servedPerSecond * 0.2, seconds: 1 }));
  const recoverySeconds = (performance.now() - endedAt) / 1000;
  const streamed = await held;
  const admitted = result.latencyByStatus['200'];
  const refused = result.latencyByStatus['503'];
  printFigures('overload', {
    servedPerSecond: Math.round(servedPerSecond),
    offeredPerSecond: Math.round(result.requests / result.seconds),
    onset: onset.latencyByStatus['200'],
    statuses: result.statuses,
    admitted,
    refused,
    recoverySeconds,
    afterwards: recovered.latencyMilliseconds,
    usual: measured.latencyMilliseconds,
  });

  expect([onset.errors, result.errors]).toEqual([0, 0]);
  // Beside other work the load generator may be too slow to cause overload.
  const isAlone = isLong && !wasCrowded && !isCrowded();
  const expected = isAlone || result.statuses['503'] !== undefined ? ['200', '503'] : ['200'];
  expect(Object.keys(result.statuses).toSorted()).toEqual(expected);
  expect(result.withRetryAfter).toBe(result.statuses['503'] ?? 0);
  expect(recovered.statuses).toEqual({ 200: recovered.requests });
  expect(recoverySeconds).toBeLessThan(recoveryLimitSeconds);
  expect(streamed.statuses).toEqual({ 200: runningStreams });
  expect(streamed.errors).toBe(0);
  if (refused !== undefined) {
    const offeredTimes = (result.requests / result.seconds / servedPerSecond).toFixed(1);
    faultSeen(
      'D6',
      `${offeredTimes} times the load: ${result.statuses['503']} refused (p99 ${Math.round(refused.p99)} ms), ${result.statuses['200']} served (p99 ${Math.round(admitted?.p99 ?? 0)} ms), back after ${recoverySeconds.toFixed(1)} s`,
    );
  }
  if (!isAlone) return;
  // The gateway keeps serving what it can.
  expect(result.statuses['200']).toBeGreaterThan((servedPerSecond * overloadSeconds) / times);
  expect(admitted?.p99).toBeLessThan(admittedLimitMilliseconds);
  expect(refused?.p99).toBeLessThan(refusedLimitMilliseconds);
});
