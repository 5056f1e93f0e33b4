// An answer never costs more than its hold: pictures, tools that the upstream runs, realtime sessions and two nodes, with upstreams that
// use all they are asked for. The figure of the margins page is what the ledger reported to the operator, to the unit.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
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
  openRealtime,
  silence,
  type RealtimeCaller,
} from '#tests/integration/relay/calls/realtime-caller.ts';
import { behaviourMessage, type Behaviour } from '#mock/upstream/index.ts';

// A database server may have to start first, on a busy machine.
setDefaultTimeout(120_000);

const atOnce = 20;
/** Units per token of gpt-realtime: text and audio, in and out. */
const realtimeRates = { input: 2, audioInput: 16, output: 8, audioOutput: 32 };

for (const database of ['sqlite', 'postgres'] as const) {
  describe(`on ${database}`, () => {
    let relay: RelayHarness;
    /** The nodes that serve calls; SQLite has one. */
    let nodes: RelayHarness[];

    beforeAll(async () => {
      const settings = { PreConsumedQuota: '0', ModelLimits: '{"*":{"speed":2000}}' };
      relay = await startRelay({ database, settings });
      await relay.channel({ models: ['gpt-4o', 'o3', 'gpt-realtime', 'gpt-image-1'] });
      nodes = [relay];
      if (database === 'postgres')
        nodes.push(await startRelay({ database, settings, beside: { place: relay.place, nodeId: 'other' } }));
    });

    afterAll(async () => {
      expect(await checkInvariants(relay.store)).toEqual([]);
      for (const node of nodes.toReversed()) await node[Symbol.asyncDispose]();
    });

    async function paidBy({ userId }: TestToken): Promise<number> {
      const { used_quota, quota, held_quota } = await eventually(
        async () => {
          for (const node of nodes) await node.ledger.writeHolds();
          return await relay.userRow(userId);
        },
        (row) => row.held_quota === 0,
      );
      expect(quota).toBeGreaterThanOrEqual(0);
      expect(held_quota).toBe(0);
      return used_quota;
    }

    /** Calls of one user at once, divided among the nodes; what the upstream served in units, by these rates. */
    async function callAll(path: string, token: TestToken, body: object, [input, output]: [number, number]) {
      const answers = await Promise.all(
        Array.from({ length: atOnce }, (_, index) =>
          (nodes[index % nodes.length] ?? relay).post(path, token.key, body),
        ),
      );
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      let worth = 0;
      for (const { usage, status } of relay.mock.requests)
        if (status === 200) worth += usage.inputTokens * input + usage.outputTokens * output;
      relay.mock.reset();
      const statuses = answers.map(({ status }) => status);
      for (const status of statuses) expect([200, 403]).toContain(status);
      return { worth, texts, served: statuses.filter((status) => status === 200).length };
    }

    test('whole answers on all nodes at once are worth what was paid (M11)', async () => {
      const content = behaviourMessage({ fillsLimit: true });
      const body = { model: 'gpt-4o', max_tokens: 100_000, messages: [{ role: 'user', content }] };
      for (const quota of [1, 2000, 100_000, 1_000_000]) {
        const token = await relay.token({ quota });
        const { worth } = await callAll('/v1/chat/completions', token, body, [1.25, 5]);
        const paid = await paidBy(token);
        expect(worth).toBeLessThanOrEqual(paid + atOnce);
        expect(paid).toBeLessThanOrEqual(quota);
      }
    });

    test('tools that the upstream runs are held with the pages they may read (M11)', async () => {
      const usage = { inputTokens: 60_000 };
      const input = behaviourMessage({ fillsLimit: true, usage });
      const body = { model: 'o3', input, max_output_tokens: 20_000, tools: [{ type: 'web_search' }] };
      for (const quota of [1, 64_000, 100_000, 1_000_000]) {
        const token = await relay.token({ quota });
        const { worth } = await callAll('/v1/responses', token, body, [1, 4]);
        const paid = await paidBy(token);
        expect(worth).toBeLessThanOrEqual(paid + atOnce);
        expect(paid).toBeLessThanOrEqual(quota);
      }
    });

    test('pictures are held at the largest of their quality (M11)', async () => {
      // 5 dollars for a million tokens of text, 40 for those of pictures.
      for (const [quality, tokens] of [
        ['low', 408],
        ['medium', 1584],
        ['high', 6240],
      ] as const) {
        const body = { model: 'gpt-image-1', prompt: 'a cat', n: 2, quality };
        for (const quota of [1, 100_000, 1_000_000]) {
          const token = await relay.token({ quota });
          relay.mock.behave({ usage: { outputTokens: 2 * tokens } });
          const { worth, served } = await callAll('/v1/images/generations', token, body, [2.5, 20]);
          const paid = await paidBy(token);
          expect(worth).toBeLessThanOrEqual(paid + atOnce);
          if (quota === 1_000_000) expect(served).toBeGreaterThan(1);
        }
      }
    });

    /** A response of so many tokens of speech to an empty conversation, which the upstream counts as three tokens. */
    const costOf = (tokens: number): number => 3 * realtimeRates.input + tokens * realtimeRates.audioOutput;

    /** Sessions at once, each with this beginning; returns what they were served, in units. */
    async function talk(token: TestToken, behaviour: Behaviour, begin: (caller: RealtimeCaller) => void) {
      relay.mock.reset();
      relay.mock.behave(behaviour);
      const sessions = await Promise.allSettled(
        Array.from({ length: atOnce }, async (_, index) => {
          const { url } = nodes[index % nodes.length] ?? relay;
          const caller = await openRealtime(url, token.key);
          begin(caller);
          await Promise.race([caller.until('response.done'), caller.closed]);
          caller.leave();
          await caller.closed;
        }),
      );
      expect(sessions).toHaveLength(atOnce);
      await eventually(
        () => relay.mock.requests.every(({ ending }) => ending !== 'open'),
        (isOver) => isOver,
      );
      const served = [...relay.mock.requests];
      relay.mock.reset();
      return served.reduce((worth, { usage }) => {
        const { inputTokens, audioInputTokens, outputTokens, audioOutputTokens } = usage;
        const text = (inputTokens - audioInputTokens) * realtimeRates.input;
        const spoken = audioInputTokens * realtimeRates.audioInput;
        const written = (outputTokens - audioOutputTokens) * realtimeRates.output;
        return worth + text + spoken + written + audioOutputTokens * realtimeRates.audioOutput;
      }, 0);
    }

    test('a response of a realtime session is held by its limit at the price of speech, or asked for less (M11)', async () => {
      // Each session opens with a hold of 8,192.
      for (const quota of [1, 300, 12_600, 170_000, 400_000, 3_000_000]) {
        const token = await relay.token({ quota });
        const ask = (caller: RealtimeCaller) => caller.send({ type: 'response.create' });
        const worth = await talk(token, { fillsLimit: true }, ask);
        const paid = await paidBy(token);
        expect(worth).toBeLessThanOrEqual(paid + atOnce);
        expect(paid).toBeLessThanOrEqual(quota);
        if (quota === 3_000_000) expect(paid).toBe(atOnce * costOf(4096));
      }
    });

    test('a response that the upstream begins is held as it begins, and ends with the balance (M11)', async () => {
      const quota = 200_000;
      const token = await relay.token({ quota });
      const callers: RealtimeCaller[] = [];
      await talk(token, { outputTokens: 1200, chunkDelayMilliseconds: 2 }, (caller) => {
        callers.push(caller);
        caller.send({ type: 'session.update', session: { turn_detection: { type: 'server_vad' } } });
        caller.send({ type: 'input_audio_buffer.append', audio: silence(1) });
      });
      const paid = await paidBy(token);
      // What the callers got: two tokens of audio and one of its transcript in each piece.
      const worth = callers.reduce((sum, caller) => {
        const audio = caller.count('response.output_audio.delta') * 2 * realtimeRates.audioOutput;
        return sum + audio + caller.count('response.output_audio_transcript.delta') * realtimeRates.output;
      }, 0);
      expect(worth).toBeGreaterThan(quota / 4);
      expect(worth).toBeLessThanOrEqual(paid);
      expect(paid).toBeLessThanOrEqual(quota);
    });

    test('the limit sent to a realtime upstream is what the balance pays, in the log row too (M11)', async () => {
      for (const [quota, limit] of [
        [10_000_000, 4096],
        [100_000, 2048],
      ] as const) {
        relay.mock.reset();
        relay.mock.behave({ fillsLimit: true });
        const token = await relay.token({ quota });
        const caller = await openRealtime(relay.url, token.key);
        caller.send({ type: 'response.create' });
        await caller.until('response.done');
        caller.leave();
        await caller.closed;
        expect(await paidBy(token)).toBe(costOf(limit));
        const { other } = await relay.lastLog(token.userId);
        expect((JSON.parse(other) as { output_limit?: number }).output_limit).toBe(
          limit === 4096 ? undefined : limit,
        );
      }
    });

    test('the figures of the margins page are what the ledger reported, to the unit (M11)', async () => {
      // Nothing above its hold so far; then an upstream that reports a longer prompt than it was sent.
      const sumOf = (kind: 'above_hold' | 'suspense') =>
        nodes
          .flatMap(({ alerts }) => alerts)
          .reduce((sum, alert) => (alert.kind === kind ? sum + alert.amount : sum), 0);
      const figures = async () =>
        (await marginReport({ store: relay.store }, marginQuery.parse({}))).hold_excess;
      expect(sumOf('suspense')).toBe(0);
      const before = { paid: sumOf('above_hold'), unpaid: 0 };
      expect(await figures()).toMatchObject(before);
      relay.mock.reset();
      const content = behaviourMessage({ usage: { inputTokens: 20_000, outputTokens: 5 } });
      const body = { model: 'gpt-4o', max_tokens: 100, messages: [{ role: 'user', content }] };
      for (const quota of [1000, 10_000, 1_000_000]) {
        const token = await relay.token({ quota });
        await (await relay.post('/v1/chat/completions', token.key, body)).text();
        expect(await paidBy(token)).toBe(Math.min(quota, 20_000 * 1.25 + 5 * 5));
      }
      const unpaid = 2 * 25_025 - 11_000;
      expect(await figures()).toMatchObject({ paid: sumOf('above_hold'), unpaid });
      expect(sumOf('suspense')).toBe(unpaid);
      expect(sumOf('above_hold')).toBeGreaterThan(before.paid);
    });
  });
}
