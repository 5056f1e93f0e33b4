// An answer never costs more than its hold: streams of all formats from upstreams that use all they are asked for, in sight or in
// secret, also with tools that the upstream runs; balances from one unit to a million, 20 at once, two nodes on PostgreSQL. The
// upstream counts what it served: no more than was paid, and a slice for each stream.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { marginQuery } from '#contract/money/margins.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { marginReport } from '#server/admin/margins/report.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';
import {
  startThinkingUpstream,
  thinkAbout,
  type ThinkingCall,
  type ThinkingUpstream,
} from '#tests/support/thinking-upstream.ts';
import { behaviourMessage } from '#mock/upstream/index.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(180_000);

/** Units per token: input and output of each model. */
const RATES: Readonly<Record<string, [input: number, output: number]>> = {
  o3: [1, 4],
  'claude-sonnet-4-5': [1.5, 7.5],
  // Ratios have twelve decimals: 0.15 times 8.333333333333.
  'gemini-2.5-flash': [0.15, 1.25 - 5e-14],
};
/** The top speed that the gateway knows is that of the upstream. */
const TOKENS_PER_SECOND = 4000;
const SLICE_TOKENS = 1024;
const AT_ONCE = 20;
const QUOTAS = [1, 300, 12_600, 100_000, 1_000_000];

interface Kind {
  path: string;
  model: string;
  body: (content: string, limit: number, extra?: object) => object;
  /** Makes the model think. */
  thinking: object;
  /** A tool that the upstream runs. */
  search: object;
}

const KINDS: readonly Kind[] = [
  {
    path: '/v1/chat/completions',
    model: 'o3',
    body: (content, limit, extra) => ({
      model: 'o3',
      stream: true,
      max_completion_tokens: limit,
      messages: [{ role: 'user', content }],
      ...extra,
    }),
    thinking: {},
    search: { web_search_options: {} },
  },
  {
    path: '/v1/responses',
    model: 'o3',
    body: (input, limit, extra) => ({ model: 'o3', stream: true, input, max_output_tokens: limit, ...extra }),
    thinking: {},
    search: { tools: [{ type: 'web_search' }] },
  },
  {
    path: '/v1/messages',
    model: 'claude-sonnet-4-5',
    body: (content, limit, extra) => ({
      model: 'claude-sonnet-4-5',
      stream: true,
      max_tokens: limit,
      messages: [{ role: 'user', content }],
      ...extra,
    }),
    thinking: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    search: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
  },
  {
    path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    model: 'gemini-2.5-flash',
    body: (text, maxOutputTokens, extra) => ({
      contents: [{ role: 'user', parts: [{ text }] }],
      generationConfig: { maxOutputTokens },
      ...extra,
    }),
    thinking: {},
    search: { tools: [{ google_search: {} }] },
  },
];
const byPath = KINDS.map((kind) => [kind.path.replace(/\?.*/, ''), kind] as const);

function worthOf({ model, prompt, made }: Pick<ThinkingCall, 'model' | 'prompt' | 'made'>): number {
  const [input = 0, output = 0] = RATES[model] ?? [];
  return prompt * input + made * output;
}

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    let relay: RelayHarness;
    /** The nodes that serve calls; SQLite has one. */
    let nodes: RelayHarness[];
    let thinker: ThinkingUpstream;

    beforeAll(async () => {
      thinker = startThinkingUpstream(TOKENS_PER_SECOND);
      const limits = { speed: TOKENS_PER_SECOND, hidden: TOKENS_PER_SECOND };
      const settings = { PreConsumedQuota: '0', ModelLimits: JSON.stringify({ '*': limits }) };
      relay = await startRelay({ database, settings });
      // What thinks is for users of `default`, what writes at once for those of `vip`.
      for (const [group, base_url] of [
        ['default', thinker.url],
        ['vip', relay.mock.url],
      ] as const) {
        const each = { groups: [group], base_url };
        await relay.channel({ ...each, models: ['o3'] });
        await relay.channel({ ...each, models: ['claude-sonnet-4-5'], type: CHANNEL_TYPE.anthropic });
        await relay.channel({ ...each, models: ['gemini-2.5-flash'], type: CHANNEL_TYPE.gemini });
      }
      nodes = [relay];
      if (database === 'postgres')
        nodes.push(await startRelay({ database, settings, beside: { place: relay.place, nodeId: 'other' } }));
    });

    afterAll(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      for (const node of nodes.toReversed()) await node[Symbol.asyncDispose]();
      await thinker[Symbol.asyncDispose]();
    });

    const nodeOf = (index: number): RelayHarness => nodes[index % nodes.length] ?? relay;

    async function rowOf({ userId }: TestToken) {
      for (const node of nodes) await node.ledger.writeHolds();
      return await relay.userRow(userId);
    }

    /** What the user paid in the end, and the rows of the calls. */
    async function ended(token: TestToken, quota: number) {
      const row = await eventually(
        () => rowOf(token),
        ({ held_quota }) => held_quota === 0,
      );
      expect(row).toMatchObject({ held_quota: 0, quota: quota - row.used_quota });
      expect(row.quota).toBeGreaterThanOrEqual(0);
      const rows = await relay.logs(token.userId);
      expect(rows.reduce((sum, each) => sum + each.quota, 0)).toBe(row.used_quota);
      return { paid: row.used_quota, rows };
    }

    /** Calls of one user at once, divided among the nodes; how many were let through. */
    async function callAll({ path }: Kind, token: TestToken, body: object): Promise<number> {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, async (_, index) => {
          const answer = await nodeOf(index).post(path, token.key, body);
          return { status: answer.status, text: await answer.text() };
        }),
      );
      for (const { status, text } of answers) {
        expect([200, 403]).toContain(status);
        if (status === 403) expect(text).toMatch(/this call needs \$|balance is used up/);
      }
      return answers.filter(({ status }) => status === 200).length;
    }

    const reportOf = async ({ userId }: TestToken) =>
      (await marginReport({ store: relay.store }, marginQuery.parse({ user: userId }))).hold_excess;

    /**
     * The sum of the charges as the upstream and the rows tell them: what was not paid of it is in suspense, to the unit. Charges above
     * their holds are those that the ledger told the operator of.
     */
    async function expectFigures(token: TestToken, calls: readonly ThinkingCall[], paid: number) {
      const whole = calls.filter(({ ending }) => ending === 'complete');
      const rows = await relay.logs(token.userId);
      const usual = rows.filter(({ other }) => !other.includes('"ending":'));
      const sorted = (list: readonly number[]) => list.toSorted((left, right) => left - right);
      // Complete answers are charged as the upstream counted them.
      expect(sorted(usual.map(({ completion_tokens }) => completion_tokens))).toEqual(
        sorted(whole.map(({ made }) => made)),
      );
      const charges = rows.map(({ model_name: model, prompt_tokens: prompt, completion_tokens: made }) =>
        Math.round(worthOf({ model, prompt, made })),
      );
      const excess = await reportOf(token);
      expect(excess?.unpaid).toBe(charges.reduce((sum, charge) => sum + charge, 0) - paid);
      const told = nodes
        .flatMap(({ alerts }) => alerts)
        .filter((alert) => 'userId' in alert && alert.userId === token.userId);
      const sumOf = (kind: 'above_hold' | 'suspense') =>
        told.reduce((sum, alert) => (alert.kind === kind ? sum + alert.amount : sum), 0);
      expect(excess).toMatchObject({ paid: sumOf('above_hold'), unpaid: sumOf('suspense') });
      return excess;
    }

    describe.each(byPath)('%s', (_path, kind) => {
      const callsOf = (tag: string) => thinker.calls.filter((call) => call.tag === tag);

      test('hidden reasoning is worth what was paid, whatever the balance (M11)', async () => {
        const runs = QUOTAS.map(async (quota) => {
          const token = await relay.token({ quota });
          const tag = `quota ${token.userId}`;
          // A million would pay for half a minute of thoughts.
          const limit = quota > 100_000 ? 16_000 : 100_000;
          await callAll(kind, token, kind.body(thinkAbout(tag), limit, kind.thinking));
          const { paid, rows } = await ended(token, quota);
          const calls = callsOf(tag);
          const aborted = calls.filter(({ ending }) => ending === 'aborted');
          // Thoughts of an answer that was cut off are worth what the upstream made until then.
          const worth = calls.reduce((sum, call) => sum + worthOf(call), 0);
          const slice = worthOf({ model: kind.model, prompt: 0, made: SLICE_TOKENS });
          expect(worth).toBeLessThanOrEqual(paid + aborted.length * slice + calls.length);
          expect(paid).toBeLessThanOrEqual(quota);
          expect(rows.filter(({ other }) => other.includes('"ending":"quota"'))).toHaveLength(aborted.length);
          const excess = await expectFigures(token, calls, paid);
          expect(excess?.unpaid).toBeLessThanOrEqual(aborted.length * slice);
          return aborted.length;
        });
        expect(Math.max(...(await Promise.all(runs)))).toBeGreaterThan(0);
      });

      test('tools that the upstream runs are held with the pages they may read (M11)', async () => {
        const runs = QUOTAS.map(async (quota) => {
          const token = await relay.token({ quota });
          const tag = `tools ${token.userId}`;
          await callAll(kind, token, kind.body(thinkAbout(tag, 60_000), 2000, kind.search));
          const { paid } = await ended(token, quota);
          const calls = callsOf(tag);
          const whole = calls.filter(({ ending }) => ending === 'complete');
          const worth = whole.reduce((sum, call) => sum + worthOf(call), 0);
          expect(worth).toBeLessThanOrEqual(paid + whole.length);
          expect(paid).toBeLessThanOrEqual(quota);
          expect(await expectFigures(token, calls, paid)).toMatchObject({ unpaid: 0 });
          return whole.length;
        });
        const results = await Promise.all(runs);
        expect(results.at(-1)).toBeGreaterThan(1);
      });

      test('visible output is worth what was paid and a slice, whatever the balance (M11)', async () => {
        const runs = QUOTAS.map(async (quota) => {
          const userId = await relay.user({ quota, group: 'vip' });
          const token = await relay.token({ user_id: userId });
          const tag = `seen ${userId}`;
          // Together, because half a million writes are most of what this file costs.
          const behaviour = { tag, outputTokens: 2000, chunkDelayMilliseconds: 0, eventsPerWrite: 8 };
          const body = kind.body(behaviourMessage(behaviour), 2000);
          const served = await callAll(kind, token, body);
          const { paid } = await ended(token, quota);
          const calls = relay.mock.requests.filter((each) => each.tag === tag && each.status === 200);
          const worth = calls
            .map(({ model, usage, outputTokensWritten, ending }) =>
              worthOf({
                model,
                prompt: usage.inputTokens,
                made: ending === 'complete' ? usage.outputTokens : outputTokensWritten,
              }),
            )
            .reduce((sum, each) => sum + each, 0);
          const aborted = calls.filter(({ ending }) => ending !== 'complete').length;
          const slice = worthOf({ model: kind.model, prompt: 0, made: SLICE_TOKENS });
          expect(worth).toBeLessThanOrEqual(paid + aborted * slice + calls.length);
          expect(paid).toBeLessThanOrEqual(quota);
          return served;
        });
        const results = await Promise.all(runs);
        expect(results.at(-1)).toBe(AT_ONCE);
      });

      test('a stream is asked for what the balance pays, in the header and the log row; an ample one for the same (M11)', async () => {
        // What pays for 2,000 tokens is all in the first hold, what pays for 5,000 is not.
        for (const tokens of [2000, 5000, 1_000_000_000]) {
          const quota = Math.round(worthOf({ model: kind.model, prompt: 0, made: tokens }));
          const token = await relay.token({ quota });
          const tag = `limit ${token.userId}`;
          const answer = await relay.post(
            kind.path,
            token.key,
            kind.body(thinkAbout(tag), 8000, kind.thinking),
          );
          const header = answer.headers.get('x-tollgate-output-limit');
          expect(await answer.text()).not.toContain('insufficient');
          const row = await relay.lastLog(token.userId);
          const { output_limit } = JSON.parse(row.other) as { output_limit?: number };
          const [call] = callsOf(tag);
          expect(call?.ending).toBe('complete');
          if (tokens <= 5000) {
            expect(call?.limit).toBeGreaterThan(tokens - 500);
            expect(call?.limit).toBeLessThan(tokens);
            expect({ header, output_limit }).toEqual({
              header: String(call?.limit),
              output_limit: call?.limit ?? 0,
            });
            expect(row.quota).toBeLessThanOrEqual(quota);
          } else {
            expect(call?.limit).toBe(8000);
            expect({ header, output_limit }).toEqual({ header: null, output_limit: undefined });
          }
        }
      });
    });
  });
}
