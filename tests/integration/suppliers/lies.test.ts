// ISSUE-20: a lying supplier is found within 200 calls and an honest one is not, in ten seeded runs each. The runs drive the
// collector, the probes and the judgement with the calls that the relay reports; suppliers.test.ts makes whole runs through
// the gateway.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Cell } from '#server/suppliers/cell.ts';
import { createCollector, type CellKey } from '#server/suppliers/collector.ts';
import { createPromptMemory } from '#server/suppliers/prompt-memory.ts';
import { scoreChannels, type ChannelScore } from '#server/suppliers/score.ts';
import { assess, listPriceOf } from '#server/suppliers/assess.ts';
import { writeCounts } from '#server/suppliers/counts.ts';
import { PROBE_QUESTIONS } from '#server/suppliers/probe-questions.ts';
import { judge } from '#server/suppliers/probe-verdicts.ts';
import {
  PROBE_RUN_SECONDS,
  runProbes,
  type AskedChannel,
  type ProbeAnswer,
} from '#server/suppliers/probes.ts';
import { createLog } from '#server/platform/log.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseSource } from '#tests/support/databases.ts';
import { chatEstimate } from '#server/relay/request/request-size.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import type { ModelScore, SignalName } from '#contract/suppliers/suppliers.ts';
import { prompts, Supplier, type Lies } from '#tests/support/supplier.ts';

const CALLS = 200;
const LOW = 60;
const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1);
const SUBJECT = 1;
const MODEL = 'gpt-4o';
const SETTINGS = {
  SupplierProbeBudget: 4,
  QuotaPerUnit: 500_000,
  SupplierAlertBelow: LOW,
  SupplierDownWeightBelow: 0,
  SupplierDownWeightFactor: 1,
};

interface Traffic {
  /** Channel ids from 1. */
  suppliers: readonly Supplier[];
  seed: number;
  calls?: number;
  trusted?: readonly number[];
  /** How often each supplier is asked each probe question. */
  probeRounds?: number;
}

type Counted = [CellKey, Cell][];
const counted = new WeakMap<Supplier, Counted>();

/** What the collector counts of a supplier's calls; made once for each supplier. */
function countedOf(supplier: Supplier, channelId: number, { seed, calls = CALLS }: Traffic): Counted {
  const known = counted.get(supplier);
  if (known !== undefined) return known;
  const collector = createCollector({
    memory: createPromptMemory(() => 1000, { completeFrom: () => 0 }),
    isOn: () => true,
    addsToPrompt: () => false,
    later: (work) => work(),
  });
  const asked = prompts(seed * 31 + channelId);
  for (let call = 0; call < calls; call += 1) {
    const { userId, text } = asked.next().value;
    const fields = { messages: [{ role: 'user', content: text }] };
    const request = { fields, estimate: chatEstimate(fields) };
    const isNewPrompt = collector.began(request);
    if (!collector.samples(channelId, MODEL)) throw new Error('the first calls are all sampled');
    const answer = supplier.answer(text, MODEL);
    const { firstTokenMilliseconds, milliseconds } = answer;
    collector.answered({
      requestId: `${channelId}-${call}`,
      userId,
      channelId,
      model: MODEL,
      namedModel: answer.model,
      request,
      isNewPrompt,
      reported: answer.isCut ? undefined : usageOf(answer),
      ending: answer.isCut ? 'broken' : 'complete',
      stream: { firstTokenMilliseconds, milliseconds },
      texts: () => answer.pieces,
    });
  }
  const taken = collector.take();
  counted.set(supplier, taken);
  return taken;
}

const allCounted = (traffic: Traffic): Counted =>
  traffic.suppliers.flatMap((supplier, index) => countedOf(supplier, index + 1, traffic));

/** By channel. */
function scores(traffic: Traffic): ChannelScore[] {
  const { suppliers, trusted = [], probeRounds = 0 } = traffic;
  const cells = allCounted(traffic).map(([{ channelId, model, userGroup }, cell]) => ({
    day: 100,
    channelId,
    model,
    userGroup,
    cell,
  }));
  const trustedOnes = new Set(trusted);
  const sheets = new Map(
    suppliers.map((supplier, index) => {
      // A trusted channel is asked twice as often.
      const rounds = trustedOnes.has(index + 1) ? 2 * probeRounds : probeRounds;
      return [index + 1, answerSheet(supplier, rounds)] as const;
    }),
  );
  return scoreChannels({
    cells,
    today: 100,
    trusted: trustedOnes,
    priceOf: listPriceOf,
    probesOf: (channelId) => judge(sheets, trustedOnes, channelId),
  });
}

function answerSheet(supplier: Supplier, rounds: number): Map<string, string[]> {
  return new Map(
    PROBE_QUESTIONS.map(({ id, text }) => [
      id,
      Array.from({ length: rounds }, () => supplier.answer(text, MODEL).pieces.join('')),
    ]),
  );
}

const run = (traffic: Traffic): ChannelScore | undefined => scores(traffic)[SUBJECT - 1];

function usageOf(answer: ReturnType<Supplier['answer']>): CanonicalUsage {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = answer;
  return {
    input: promptTokens - cachedTokens,
    cacheRead: cachedTokens,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    imageInput: 0,
    audioInput: 0,
    output: completionTokens,
    reasoning: reasoningTokens,
    audioOutput: 0,
    raw: null,
  };
}

const honestOnes = new Map(
  SEEDS.map((seed) => [seed, [new Supplier(seed + 500), new Supplier(seed + 900)]] as const),
);
const honest = (seed: number): readonly Supplier[] => honestOnes.get(seed) ?? [];

const signalsOf = (score: ChannelScore | undefined) =>
  score?.models.flatMap(({ findings }) => findings.map(({ signal }) => signal)) ?? [];

describe.each([
  ['inflated tokens', { inflation: 1.25 }, 'output_tokens'],
  ['a cheaper model that the answer names', { cheaper: 'named' }, 'model_name'],
  ['one stream in ten cut', { cut: 0.1 }, 'cut_streams'],
  ['one answer in eight padded', { padded: 0.125 }, 'padded'],
  ['invented cache reads', { fakeCache: 0.5 }, 'cache_reads'],
] satisfies [string, Lies, SignalName][])('%s', (_name, lies, signal) => {
  test.each(SEEDS)('is found within 200 calls, seed %d', (seed) => {
    const score = run({ suppliers: [new Supplier(seed, lies), ...honest(seed)], seed });
    expect(signalsOf(score)).toContain(signal);
    expect(score?.score).toBeLessThan(LOW);
  });
});

test.each(SEEDS)('an honest supplier loses nothing beside two honest ones, seed %d', (seed) => {
  const score = run({ suppliers: [new Supplier(seed), ...honest(seed)], seed });
  expect([signalsOf(score), score?.score]).toEqual([[], 100]);
});

test.each(SEEDS)('an honest supplier loses nothing beside two liars, seed %d', (seed) => {
  const liars = [new Supplier(seed + 500, { inflation: 1.4 }), new Supplier(seed + 900, { cut: 0.2 })];
  const score = run({ suppliers: [new Supplier(seed), ...liars], seed });
  expect([signalsOf(score), score?.score]).toEqual([[], 100]);
});

test.each(SEEDS)('reasoning billed fivefold is too fast, honest reasoning is not, seed %d', (seed) => {
  const reasoning = (inflation: number, add: number) => new Supplier(seed + add, { reasoning: inflation });
  const others = [reasoning(1, 500), reasoning(1, 900)];
  const found = scores({ suppliers: [reasoning(5, 0), ...others], seed, calls: 100 });
  expect(found.map((score) => [score.score, ...signalsOf(score)])).toEqual([[85, 'fast'], [100], [100]]);
});

test('one trusted channel is enough to compare with, one other channel is not', () => {
  const suppliers = [new Supplier(3, { inflation: 1.25 }), new Supplier(503)];
  expect(run({ suppliers, seed: 3 })?.score).toBe(100);
  expect(run({ suppliers, seed: 3, trusted: [2] })?.score).toBeLessThan(LOW);
});

test('inflation that no tokenizer has is found without anything to compare with', () => {
  expect(signalsOf(run({ suppliers: [new Supplier(4, { inflation: 3.5 })], seed: 4 }))).toContain(
    'input_tokens',
  );
});

describe('a cheaper model that the answers do not name', () => {
  const hidden = (seed: number): Supplier => new Supplier(seed, { cheaper: 'hidden' }, seed);
  const honestThree = (seed: number): Supplier[] =>
    [seed, seed + 500, seed + 900].map((each) => new Supplier(each, {}, seed));
  const blameless = { score: 100, signals: [] };
  const figures = (score: ChannelScore | undefined) => ({ score: score?.score, signals: signalsOf(score) });

  // Probes are calls too.
  const probeRounds = 3;
  const calls = CALLS - probeRounds * PROBE_QUESTIONS.length;

  test.each(SEEDS)('is found with no channel trusted, two honest ones are not, seed %d', (seed) => {
    const suppliers = [hidden(seed), ...honestThree(seed).slice(1)];
    const [liar, ...others] = scores({ suppliers, seed, calls, probeRounds }).map(figures);
    expect(liar?.signals).toContain('probes');
    expect(liar?.score).toBeLessThan(LOW);
    expect(others).toEqual([blameless, blameless]);
  });

  test.each(SEEDS)('is not seen in three honest suppliers, seed %d', (seed) => {
    const found = scores({ suppliers: honestThree(seed), seed, calls, probeRounds });
    expect(found.map(figures)).toEqual([blameless, blameless, blameless]);
  });

  test.each(SEEDS)('is found beside one trusted channel, an honest one is not, seed %d', (seed) => {
    const suppliers = [hidden(seed), ...honestThree(seed).slice(1)];
    const [liar, other] = scores({ suppliers, seed, calls, trusted: [3], probeRounds }).map(figures);
    expect(liar?.signals).toContain('probes');
    expect(liar?.score).toBeLessThan(LOW);
    expect(other).toEqual(blameless);
  });

  describe('by the jobs', () => {
    const { open, closeAll } = databaseSource('sqlite');
    let store: Store;
    beforeAll(async () => {
      store = await open();
      for (let id = 1; id <= 3; id += 1)
        expect(await addChannel(store, { base_url: 'http://supplier.test', models: [MODEL] })).toBe(id);
    });
    afterAll(closeAll);

    test.each(SEEDS.slice(0, 2))('is found as well, within their budget, seed %d', async (seed) => {
      for (const table of ['supplier_counts', 'supplier_probes', 'supplier_scores'] as const)
        await store.db.deleteFrom(table).execute();
      const suppliers = [hidden(seed), ...honestThree(seed).slice(1)];
      let now = 20_000 * 24 * 3600;
      const source = { take: () => allCounted({ suppliers, seed, calls }), putBack: () => {} };
      await writeCounts(store, source, 'node', now);
      const asked = suppliers.map(() => 0);
      const parts = {
        store,
        settings: { current: SETTINGS },
        log: createLog({ level: 'error' }),
        now: () => now,
        async ask({ channelId, model, asked: { text } }: AskedChannel): Promise<ProbeAnswer> {
          asked[channelId - 1] = (asked[channelId - 1] ?? 0) + 1;
          const answer = suppliers[channelId - 1]?.answer(text, model);
          if (answer === undefined) throw new Error('no such channel');
          const { promptTokens, completionTokens, pieces } = answer;
          return { isOk: true, text: pieces.join(''), promptTokens, completionTokens };
        },
      };
      for (let round = 1; round <= probeRounds; round += 1) {
        const began = now;
        for (let jobRun = 0; jobRun < 5; jobRun += 1) {
          await runProbes(parts, new AbortController().signal);
          now += PROBE_RUN_SECONDS + 1;
        }
        // The next round is half a day later.
        expect(asked).toEqual(suppliers.map(() => round * PROBE_QUESTIONS.length));
        now = began + 14 * 3600;
      }
      const { cost } = await store.db
        .selectFrom('supplier_probes')
        .select(({ fn }) => fn.sum<number>('cost').as('cost'))
        .executeTakeFirstOrThrow();
      expect(cost).toBeLessThanOrEqual(SETTINGS.SupplierProbeBudget * SETTINGS.QuotaPerUnit);
      await assess(parts);
      const rows = await store.db.selectFrom('supplier_scores').selectAll().orderBy('channel_id').execute();
      const [liar, ...others] = rows.map(({ score, models }) => ({
        score,
        signals: (JSON.parse(models) as ModelScore[]).flatMap(({ findings }) =>
          findings.map(({ signal }) => signal),
        ),
      }));
      expect(liar?.signals).toContain('probes');
      expect(liar?.score).toBeLessThan(LOW);
      expect(others).toEqual([blameless, blameless]);
    });
  });
});
