// The limits that upstreams are sent: coding agents keep theirs with a dollar left, and with `LowerAnswerLimits` off no limit is changed.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { SettingKey } from '#contract/settings.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { eventually, startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import {
  startThinkingUpstream,
  thinkAbout,
  type ThinkingUpstream,
} from '#tests/support/thinking-upstream.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';

setDefaultTimeout(120_000);

/** A dollar. */
const DOLLAR = 500_000;
const LIMITS = [32_000, 64_000];

const messages = (content: string) => [{ role: 'user', content }];
const thinking = { type: 'enabled', budget_tokens: 10_000 };
const shell = { type: 'function', name: 'shell', parameters: { type: 'object' } };
/** Requests as coding agents make them. */
const AGENTS: readonly (readonly [
  name: string,
  path: string,
  body: (content: string, limit: number) => object,
])[] = [
  [
    'Claude Code',
    '/v1/messages',
    (content, limit) => ({
      model: 'claude-sonnet-4-5',
      max_tokens: limit,
      messages: messages(content),
      thinking,
      tools: [{ name: 'shell', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    }),
  ],
  [
    'Codex with its search',
    '/v1/responses',
    (input, limit) => ({
      model: 'gpt-5',
      input,
      max_output_tokens: limit,
      reasoning: { effort: 'high' },
      tools: [shell, { type: 'web_search' }],
      tool_choice: 'none',
    }),
  ],
  [
    'opencode',
    '/v1/chat/completions',
    (content, limit) => ({ model: 'o3', max_completion_tokens: limit, messages: messages(content) }),
  ],
];

forEachDatabase((label) => {
  describe('the limit of an answer', () => {
    let relay: RelayHarness;
    /** The nodes that serve calls; SQLite has one. */
    let nodes: RelayHarness[];
    let thinker: ThinkingUpstream;

    async function start(settings: Partial<Record<SettingKey, string>>): Promise<void> {
      relay = await startRelay({ database: label, settings });
      nodes = [relay];
      if (label === 'postgres')
        nodes.push(
          await startRelay({ database: label, settings, beside: { place: relay.place, nodeId: 'other' } }),
        );
      const wish = { groups: ['default'], models: ['gpt-5', 'gpt-4o', 'o3'] };
      await relay.channel(wish);
      await relay.channel({ ...wish, models: ['claude-sonnet-4-5'], type: CHANNEL_TYPE.anthropic });
      await relay.channel({ ...wish, groups: ['vip'], base_url: thinker.url });
      for (const node of nodes) await node.relay.reload();
    }

    beforeEach(() => {
      thinker = startThinkingUpstream(500);
    });
    afterEach(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      for (const node of nodes.toReversed()) await node[Symbol.asyncDispose]();
      await thinker[Symbol.asyncDispose]();
    });

    test.each(AGENTS)('%s works with a dollar left, several calls at once (M11)', async (_, path, body) => {
      await start({});
      const token = await relay.token({ quota: DOLLAR });
      const behaviour: Behaviour = {
        tag: 'agent',
        outputTokens: 600,
        firstTokenDelayMilliseconds: 2500,
        chunkDelayMilliseconds: 1,
      };
      const calls = Array.from({ length: 4 }, async (_each, index) => {
        const limit = LIMITS[index % LIMITS.length] ?? 0;
        const node = nodes[(index >> 1) % nodes.length] ?? relay;
        const sent = { ...body(behaviourMessage(behaviour), limit), stream: true };
        const answer = await node.post(path, token.key, sent);
        return { status: answer.status, text: await answer.text() };
      });
      for (const { status, text } of await Promise.all(calls)) {
        expect({ status, text }).toMatchObject({ status: 200 });
        expect(text).toMatch(/message_stop|response\.completed|\[DONE\]/);
        expect(text).not.toContain('insufficient');
      }
      const rows = await relay.logs(token.userId);
      expect(rows.map(({ completion_tokens }) => completion_tokens >= 600)).toEqual([true, true, true, true]);
      expect(rows.filter(({ other }) => other.includes('"ending":'))).toEqual([]);
      const { quota } = await eventually(
        async () => {
          for (const node of nodes) await node.ledger.writeHolds();
          return await relay.userRow(token.userId);
        },
        ({ held_quota }) => held_quota === 0,
      );
      // What was held for the long limits is there again.
      expect(quota).toBe(DOLLAR - rows.reduce((sum, row) => sum + row.quota, 0));
      expect(quota).toBeGreaterThan(DOLLAR * 0.9);
    });

    test('with LowerAnswerLimits off a whole answer is refused before anything is sent, and streams go on with their limit (M11)', async () => {
      await start({ LowerAnswerLimits: 'false' });
      const path = '/v1/chat/completions';
      const body = { model: 'gpt-4o', max_tokens: 50_000, messages: messages('hi') };
      const token = await relay.token({ quota: 20_000 });
      const refused = await relay.post(path, token.key, body);
      expect(refused.status).toBe(403);
      // 50,000 tokens cost half a dollar, and four cents are left.
      expect(await refused.text()).toMatch(/this call needs \$0\.5\d*, and \$0\.04 is left/);
      expect(relay.mock.requests).toEqual([]);
      expect(await relay.userRow(token.userId)).toMatchObject({
        quota: 20_000,
        held_quota: 0,
        used_quota: 0,
      });
      // What the balance pays is not changed either.
      const paid = await relay.post(path, token.key, { ...body, max_tokens: 3000 });
      await paid.text();
      expect(paid.status).toBe(200);
      const stream = await relay.post(path, token.key, { ...body, stream: true });
      expect(await stream.text()).toContain('[DONE]');
      expect(stream.headers.get('x-tollgate-output-limit')).toBeNull();
      expect(relay.mock.requests.map((request) => (request.body as typeof body).max_tokens)).toEqual([
        3000, 50_000,
      ]);
    });

    test.each([
      ['true', 'complete'],
      ['false', 'aborted'],
    ] as const)(
      'with LowerAnswerLimits %s a stream that thinks longer than the balance pays ends %s (M11)',
      async (isLowered, ending) => {
        await start({ LowerAnswerLimits: isLowered });
        const userId = await relay.user({ quota: 6000, group: 'vip' });
        const token = await relay.token({ user_id: userId });
        const body = {
          model: 'o3',
          stream: true,
          max_completion_tokens: 50_000,
          messages: messages(thinkAbout('limits')),
        };
        const answer = await relay.post('/v1/chat/completions', token.key, body);
        const text = await answer.text();
        const [call] = thinker.calls;
        await eventually(
          () => call?.ending,
          (value) => value !== 'open',
        );
        expect(call?.ending).toBe(ending);
        expect(call?.limit === 50_000).toBe(isLowered === 'false');
        expect(answer.headers.get('x-tollgate-output-limit')).toBe(
          isLowered === 'false' ? null : String(call?.limit),
        );
        expect(text.includes('insufficient_quota')).toBe(isLowered === 'false');
        const [row] = await relay.logs(userId);
        expect(row?.quota).toBeGreaterThan(0);
        expect(row?.quota).toBeLessThanOrEqual(6000);
      },
    );
  });
});
