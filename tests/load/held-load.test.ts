// A constant load: 200 streams of five events a second and 50 short calls a second, for soakMinutes.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { LoadGenerator } from '#tests/bench/children.ts';
import { startGateway, type StartedGateway } from '#tests/bench/gateway.ts';
import { chatBody } from '#tests/bench/phases.ts';
import { openDescriptors, residentMegabytes } from '#tests/bench/process-stats.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { spawnMockUpstream, type SpawnedMock } from '#mock/upstream/spawn.ts';
import { isCrowded, soakMinutes, printFigures } from '#tests/chaos/extent.ts';

const seconds = soakMinutes * 60;
setDefaultTimeout(60_000 + seconds * 1000);

const streamsAtOnce = 200;
const eventMilliseconds = 200;
/** Ten seconds each. */
const eventsPerStream = 50;
const callsPerSecond = 50;
const overheadLimitMilliseconds = 25;
const growthLimitMegabytes = 10;
/** The size of SQLite's page cache; this load takes half an hour to fill it. */
const pageCacheMegabytes = 64;
const pageCacheMinutes = 30;

let mock: SpawnedMock;
let gateway: StartedGateway;
const generators = { streams: new LoadGenerator(), calls: new LoadGenerator(), direct: new LoadGenerator() };

beforeAll(async () => {
  mock = await spawnMockUpstream();
  gateway = await startGateway({ upstream: mock.url });
});

afterAll(async () => {
  for (const generator of Object.values(generators)) await generator.stop();
  await gateway.stop();
  await mock.stop();
});

test(`D4 a constant load for ${soakMinutes} minutes: no failures, little added latency, memory does not grow (plan D4)`, async () => {
  const path = '/v1/chat/completions';
  const through = { url: gateway.url, key: gateway.key, path };
  const wasCrowded = isCrowded();
  const warmUp = Math.min(20, seconds);
  await generators.calls.run({ ...through, body: chatBody(), connections: 16, seconds: warmUp / 4 });

  const memory: number[] = [];
  const watch = setInterval(() => memory.push(residentMegabytes(gateway.processId)), 1000);
  const body = chatBody({ outputTokens: eventsPerStream, chunkDelayMilliseconds: eventMilliseconds });
  const paced = { body: chatBody(), connections: 64, perSecond: callsPerSecond, seconds };
  const [streams, calls, direct] = await Promise.all([
    generators.streams.run({ ...through, body, connections: streamsAtOnce, seconds }),
    generators.calls.run({ ...through, ...paced }),
    // The same calls without a gateway, at the same time: the difference is the gateway's.
    generators.direct.run({ url: mock.url, key: 'sk-direct', path, ...paced }),
  ]);
  clearInterval(watch);
  const floors = floorsOf(memory);
  // The heap reaches its size in the first third.
  const growth = floors[2] - floors[1];
  const addedP99 = calls.latencyMilliseconds.p99 - direct.latencyMilliseconds.p99;
  printFigures(`load held for ${soakMinutes} minutes`, {
    streams: {
      ...streams.statuses,
      events: streams.events,
      most: streams.mostOpenStreams,
      errors: streams.errors,
    },
    calls: { ...calls.statuses, errors: calls.errors },
    latency: calls.latencyMilliseconds,
    direct: direct.latencyMilliseconds,
    firstEvent: streams.firstEventMilliseconds,
    addedP99,
    memory: { floors, most: Math.max(...memory) },
    descriptors: openDescriptors(gateway.processId),
  });

  expect(streams.errors + calls.errors).toBe(0);
  expect(streams.statuses).toEqual({ 200: streams.requests });
  expect(calls.statuses).toEqual({ 200: calls.requests });
  expect(streams.mostOpenStreams).toBe(streamsAtOnce);
  // Role, tokens, finish and [DONE] of each.
  expect(streams.events).toBe(streams.requests * (eventsPerStream + 3));
  expect(calls.requests).toBeGreaterThan(callsPerSecond * seconds * 0.9);
  const filling = soakMinutes < pageCacheMinutes ? pageCacheMegabytes : 0;
  if (soakMinutes >= 2) expect(growth).toBeLessThan(growthLimitMegabytes + filling);
  faultSeen(
    'D4',
    `${soakMinutes} minutes: ${streams.requests} streams, ${calls.requests} calls, 0 failed; p99 +${Math.round(addedP99)} ms, memory ${growth < 0 ? '' : '+'}${Math.round(growth)} MB`,
  );
  // Latencies are checked only when the run has the machine to itself.
  if (soakMinutes < 1 || wasCrowded || isCrowded()) return;
  expect(addedP99).toBeLessThan(overheadLimitMilliseconds);
});

/**
 * The minimum of each third of the time: memory rises between two collections, and the rest after a collection shows
 * leaks.
 */
function floorsOf(samples: readonly number[]): [number, number, number] {
  const third = Math.ceil(samples.length / 3);
  const floor = (index: number) => Math.min(...samples.slice(index * third, (index + 1) * third));
  return [floor(0), floor(1), floor(2)];
}
