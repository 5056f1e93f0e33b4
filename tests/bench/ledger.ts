// How much a reserve + settle pair costs: pairs per second at 64 in flight, and CPU microseconds per pair of this whole
// process (main thread, writer thread and the load itself). `bun tests/bench/ledger.ts [pairs] [users] [postgres-url]`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger, LogRow } from '#server/money/ledger/ledger.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { resolvePrice, type PriceSettings } from '#server/money/prices/price.ts';
import { openStore } from '#server/platform/store/store.ts';

const pairs = Number(process.argv[2] ?? 50_000);
const users = Number(process.argv[3] ?? 20);
const databaseUrl = process.argv[4];
const inFlight = 64;

const none = {};
const settings: PriceSettings = {
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
  GroupRatio: { default: 1 },
  ModelPrice: none,
  PriceUnit: none,
  ResolutionPrice: none,
  ModelRatio: { 'gpt-4o': 1.25 },
  CompletionRatio: { 'gpt-4o': 4 },
  CacheRatio: none,
  CreateCacheRatio: none,
  CreateCache1hRatio: none,
  ImageRatio: none,
  AudioRatio: none,
  AudioCompletionRatio: none,
  ReasoningRatio: none,
};
const price = resolvePrice(settings, () => undefined, 'gpt-4o', 'default');
if (typeof price === 'string') throw new Error(price);

const dataDir = mkdtempSync(join(tmpdir(), 'ledger-bench-'));
const store = await openStore({
  dataDir,
  databaseUrl,
  writerEntry: new URL('../../server/app/writer.ts', import.meta.url),
});
const ledger = await openLedger({ store, nodeId: 'bench', dataDir, version: 'bench' });

const subjects: { userId: number; tokenId: number; username: string }[] = [];
const run = crypto.randomUUID().slice(0, 8);
for (let index = 0; index < users; index += 1) {
  const username = `bench-${run}-${index}`;
  const { id: userId } = await store.db
    .insertInto('users')
    .values({ username, aff_code: username })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: tokenId } = await store.db
    .insertInto('tokens')
    .values({ user_id: userId, key_digest: username, unlimited_quota: 1 })
    .returning('id')
    .executeTakeFirstOrThrow();
  await ledger.credit({
    idem: username,
    userId,
    amount: 10_000_000_000,
    from: 'world:admin',
    kind: 'admin',
    reference: 'bench',
  });
  subjects.push({ userId, tokenId, username });
}

let next = 0;
async function worker(target: Ledger, last: number, durations: Float64Array | undefined): Promise<void> {
  while (next < last) {
    const index = next;
    next += 1;
    const started = performance.now();
    await pair(target, index);
    if (durations !== undefined) durations[index] = performance.now() - started;
  }
}

async function pair(target: Ledger, index: number): Promise<void> {
  const subject = subjects[index % users];
  if (subject === undefined || typeof price === 'string') return;
  const requestId = `${Date.now().toString(36)}${run}${index.toString(36).padStart(6, '0')}`;
  const log: LogRow = {
    type: 2,
    user_id: subject.userId,
    username: subject.username,
    token_id: subject.tokenId,
    token_name: 'bench',
    model_name: 'gpt-4o',
    upstream_model: 'gpt-4o',
    channel_id: 1,
    channel_name: 'channel',
    group: 'default',
    ip: '127.0.0.1',
  };
  const admission = await target.reserve({
    requestId,
    userId: subject.userId,
    tokenId: subject.tokenId,
    amount: 1500,
    limits: { tokens: 500 },
    snapshot: { price, log: () => log },
    expiresAt: Math.floor(Date.now() / 1000) + 600,
  });
  if (!admission.ok) throw new Error(admission.reason);
  target.dispatched(requestId);
  log.prompt_tokens = 120;
  log.completion_tokens = 80;
  log.use_time = 1;
  log.is_stream = 1;
  log.other =
    '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"model_price":-1,"frt":320,"classes":{"input":120,"output":80},"admin_info":{"use_channel":["1"]}}';
  await target.settle(requestId, {
    charge: 550,
    cost: 400,
    group: 'default',
    channelId: 1,
    modelName: 'gpt-4o',
    promptTokens: 120,
    completionTokens: 80,
    useTimeMs: 900,
    firstTokenMs: 320,
    log,
  });
}

async function measure(count: number, concurrency: number): Promise<void> {
  const durations = new Float64Array(next + count);
  const first = next;
  const cpu = process.cpuUsage();
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, () => worker(ledger, first + count, durations)));
  const seconds = (performance.now() - started) / 1000;
  const used = process.cpuUsage(cpu);
  const sorted = durations.slice(first).sort();
  const at = (share: number) => sorted[Math.floor(count * share)]?.toFixed(2);
  console.log(
    `${String(concurrency).padStart(4)} in flight: ${Math.round(count / seconds)} pairs/s, ` +
      `${((used.user + used.system) / count).toFixed(1)} µs CPU per pair (user ${(used.user / count).toFixed(1)}), ` +
      `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  );
}

await measure(Math.min(5000, pairs), inFlight);
await measure(pairs, inFlight);
await measure(pairs, inFlight);
await measure(Math.min(2000, pairs), 1);
await ledger.close();
await store.close();
rmSync(dataDir, { recursive: true, force: true });
