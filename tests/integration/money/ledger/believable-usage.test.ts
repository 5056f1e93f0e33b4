// Usage is believed only within reason: what an upstream reports beyond what was asked for, what a model can hold or what was
// delivered is charged at the largest believable amount, marked in the log row and told to the operators. Honest upstreams
// with unusual numbers are believed.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { UsageDoubt } from '#contract/money/usage-doubt.ts';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { eventually, startRelay, type RelayHarness } from '#tests/integration/relay/calls/harness.ts';
import { claim, startClaimingUpstream, type ClaimingUpstream } from '#tests/support/claiming-upstream.ts';
import { forEachDatabase, type DatabaseLabel } from '#tests/support/databases.ts';

setDefaultTimeout(60_000);

/** gpt-4o: 1.25 units for a token of the prompt, 5 for one of the answer; a search costs a cent, 5,000 units. */
const MODEL = 'gpt-4o';
const INPUT = 1.25;
const OUTPUT = 5;
const SEARCH = 5000;
/** Of these nothing is known but the price. */
const UNLISTED = 'unlisted-1';
/** Counts reasoning beside the limit; its largest answer has 65,536 tokens. */
const BESIDE = 'deepseek-reasoner';
/** The fastest upstream that an operator can tell of: a stream that reports hidden tokens needs the time for them. */
const TOKENS_PER_SECOND = 100_000;
const settings = {
  PriceRules: JSON.stringify({ '*': { search: 0.01 } }),
  ModelRatio: JSON.stringify({ 'rerank-1': 1, [UNLISTED]: 1 }),
  ModelLimits: JSON.stringify({ '*': { speed: TOKENS_PER_SECOND } }),
};
const quota = 10 ** 12;

interface Row {
  quota: number;
  estimated: number;
  prompt_tokens: number;
  completion_tokens: number;
  doubts: UsageDoubt[];
  usage: Record<string, number>;
}

interface Station extends AsyncDisposable {
  relay: RelayHarness;
  /** The log row of a new user's call. */
  call: (body: object, path?: string, model?: string) => Promise<Row>;
}

async function openStation(database: DatabaseLabel): Promise<Station> {
  const upstream: ClaimingUpstream = startClaimingUpstream();
  const relay = await startRelay({ database, settings });
  await relay.channel({
    base_url: upstream.url,
    models: [MODEL, UNLISTED, BESIDE, 'text-embedding-3-small', 'rerank-1'],
  });
  await relay.channel({
    base_url: upstream.url,
    type: CHANNEL_TYPE.anthropic,
    models: ['claude-sonnet-4-5'],
  });
  return {
    relay,
    async call(body, path = '/v1/chat/completions', model = MODEL) {
      const token = await relay.token({ quota });
      const response = await relay.post(path, token.key, { model, ...body });
      const text = await response.text();
      expect({ status: response.status, text }).toMatchObject({ status: 200 });
      const row = await relay.lastLog(token.userId);
      const other = JSON.parse(row.other) as Partial<Pick<Row, 'doubts' | 'usage'>>;
      expect((await relay.userRow(token.userId)).quota).toBe(quota - row.quota);
      return { ...row, doubts: other.doubts ?? [], usage: other.usage ?? {} };
    },
    async [Symbol.asyncDispose]() {
      expect(await relay.holds()).toBe(0);
      expect(await checkInvariants(relay.store)).toEqual([]);
      await relay[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

const notices = ({ store }: RelayHarness) =>
  store.db.selectFrom('notices').selectAll().where('event', '=', 'usage_doubted').orderBy('id').execute();

const messages = (usage: object, text?: string, seconds?: number) => [
  { role: 'user', content: claim(usage, text, seconds) },
];
const parts = (prompt: number, completion: number, rest: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...rest,
});

/** The time that a model needs for the hidden tokens of this usage; the second in which the first words come does not count. */
function secondsFor({ prompt_tokens, total_tokens }: Partial<ReturnType<typeof parts>>): number {
  const tokens = (total_tokens ?? 0) - (prompt_tokens ?? 0);
  return tokens > 1000 ? tokens / TOKENS_PER_SECOND + 1.5 : 0;
}

forEachDatabase((label) => {
  for (const stream of [false, true]) {
    describe(`${stream ? 'streams' : 'whole answers'} with unbelievable usage`, () => {
      test('an answer longer than the limit is charged at the limit, and a total counts nothing of its own (M13)', async () => {
        await using station = await openStation(label);
        const { call } = station;
        const usual = { stream, max_tokens: 100 };
        // A tenth and 64 tokens more than the limit.
        const most = 174;

        const long = await call({ ...usual, messages: messages(parts(10, 1e11)) });
        expect(long).toMatchObject({ quota: Math.round(10 * INPUT + most * OUTPUT), estimated: 0 });
        expect(long.doubts).toEqual([{ count: 'output', reported: 1e11, charged: most }]);

        const total = await call({
          ...usual,
          messages: messages({ ...parts(10, 5), total_tokens: 900_000_000_000 }),
        });
        expect(total.usage).toEqual({ input: 10, output: 5 });
        expect(total.doubts).toEqual([{ count: 'total', reported: 900_000_000_000, charged: 15 }]);

        // Two answers may have twice the limit.
        const two = await call({ ...usual, n: 2, messages: messages(parts(10, 1e11)) });
        expect(two.usage).toEqual({ input: 10, output: 2 * most });

        // Without a limit the total is not believed either.
        const open = await call({
          stream,
          messages: messages({ ...parts(10, 5), total_tokens: 900_000_000_000 }),
        });
        expect(open.usage).toEqual({ input: 10, output: 5 });
        // Nor alone: the prompt and the words are counted here.
        const alone = await call({ ...usual, messages: messages({ total_tokens: 900_000_000_000 }) });
        expect(alone).toMatchObject({ estimated: 1, doubts: [{ count: 'report' }] });
        expect(alone.quota).toBeLessThan(500);
      });

      test('a prompt larger than the request and every template is lowered, its small classes stay (M13)', async () => {
        await using station = await openStation(label);
        const { call } = station;
        const details = { prompt_tokens_details: { cached_tokens: 7 } };
        const absurd = (model: string) =>
          call({ stream, messages: messages(parts(9e11, 5, details)) }, '/v1/chat/completions', model);
        const row = await absurd(UNLISTED);
        expect(row.usage['cacheRead']).toBe(7);
        expect(row.usage['output']).toBe(5);
        expect(row.prompt_tokens).toBeGreaterThan(100_000);
        expect(row.prompt_tokens).toBeLessThan(102_000);
        expect(row.doubts).toEqual([{ count: 'input', reported: 9e11, charged: row.prompt_tokens }]);
        // The context of a known model, where that is more.
        const known = await absurd(MODEL);
        expect(known.usage).toEqual({ input: 127_993, cacheRead: 7, output: 5 });
        expect(known.doubts).toEqual([{ count: 'input', reported: 9e11, charged: 128_000 }]);
      });

      test('searches that nobody asked for cost nothing, others as many as were asked for (M12)', async () => {
        await using station = await openStation(label);
        const { call } = station;
        const absurd = { num_search_queries: Number.MAX_SAFE_INTEGER };
        const usual = Math.round(10 * INPUT + 5 * OUTPUT);

        const unasked = await call({ stream, messages: messages(parts(10, 5, absurd)) });
        expect(unasked.quota).toBe(usual);
        expect(unasked.doubts).toEqual([
          { count: 'searches', reported: Number.MAX_SAFE_INTEGER, charged: 0 },
        ]);

        // A function of the caller's own is no search of the upstream.
        const tools = [{ type: 'function', function: { name: 'web_search', parameters: {} } }];
        expect((await call({ stream, tools, messages: messages(parts(10, 5, absurd)) })).quota).toBe(usual);

        const asked = { stream, web_search_options: {} };
        const few = await call({ ...asked, messages: messages(parts(10, 5, { num_search_queries: 3 })) });
        expect(few).toMatchObject({ quota: usual + 3 * SEARCH, doubts: [] });
        const many = await call({ ...asked, messages: messages(parts(10, 5, absurd)) });
        expect(many.quota).toBe(usual + 200 * SEARCH);

        const claude = (max_uses: number, requests: number) =>
          call(
            {
              stream,
              max_tokens: 100,
              tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses }],
              messages: messages({
                input_tokens: 10,
                output_tokens: 5,
                server_tool_use: { web_search_requests: requests },
              }),
            },
            '/v1/messages',
            'claude-sonnet-4-5',
          );
        const honest = await claude(4, 4);
        expect(honest.doubts).toEqual([]);
        const hostile = await claude(4, Number.MAX_SAFE_INTEGER);
        expect(hostile.doubts).toEqual([
          { count: 'searches', reported: Number.MAX_SAFE_INTEGER, charged: 4 },
        ]);
        expect(hostile.quota).toBe(honest.quota);
      });

      test('the operators are told once an hour for each model of a channel, and each time in the log (M12, M13)', async () => {
        await using station = await openStation(label);
        const { relay, call } = station;
        for (let count = 0; count < 3; count += 1)
          await call({ stream, max_tokens: 10, messages: messages(parts(10, 1e9)) });
        await call({ stream, max_tokens: 10, messages: messages(parts(10, 5)) });
        const said = relay.logged.filter((line) => line.includes('reported usage that cannot be true'));
        expect(said).toHaveLength(3);
        const [notice, ...others] = await eventually(
          () => notices(relay),
          (found) => found.length > 0,
        );
        // An hour may end in between.
        expect(others.length).toBeLessThan(2);
        expect(JSON.parse(notice!.details)).toMatchObject({
          model: MODEL,
          doubts: [{ count: 'output', reported: 1e9, charged: 75 }],
        });
      });

      test('honest upstreams with unusual numbers are believed (M13)', async () => {
        await using station = await openStation(label);
        const { call } = station;
        const believed = async (body: object, usage: object, text?: string, model?: string) => {
          const row = await call(
            { stream, ...body, messages: messages(usage, text, stream ? secondsFor(usage) : 0) },
            '/v1/chat/completions',
            model,
          );
          expect(row.doubts).toEqual([]);
          return row;
        };
        // Reasoning beside the limit (DeepSeek, Qwen, Doubao).
        const thought = { completion_tokens_details: { reasoning_tokens: 60_000 } };
        const deep = await believed({ max_tokens: 100 }, parts(10, 60_090, thought), undefined, BESIDE);
        expect(deep.completion_tokens).toBe(60_090);
        // Reasoning only in the total (xAI), also where no class names it (Google), inside the limit.
        const xai = { completion_tokens_details: { reasoning_tokens: 300 }, total_tokens: 315 };
        expect((await believed({ max_tokens: 400 }, parts(10, 5, xai))).completion_tokens).toBe(305);
        const google = { total_tokens: 9015 };
        expect((await believed({ max_tokens: 10_000 }, parts(10, 5, google))).completion_tokens).toBe(9005);
        // A limit that was passed by a few tokens, or that is raised to the least one.
        expect((await believed({ max_tokens: 100 }, parts(10, 104))).completion_tokens).toBe(104);
        expect((await believed({ max_tokens: 1 }, parts(10, 16))).completion_tokens).toBe(16);
        // An upstream that knows no limit is paid for what it delivered.
        const words = 'gate '.repeat(400);
        expect((await believed({ max_tokens: 1 }, parts(10, 500), words)).completion_tokens).toBe(500);
        // Hidden reasoning without a limit, instructions before the prompt, a page that was searched, a picture.
        const hidden = await believed({}, parts(10, 300_000), undefined, UNLISTED);
        expect(hidden.completion_tokens).toBe(300_000);
        expect((await believed({}, parts(90_000, 5))).prompt_tokens).toBe(90_000);
        expect((await believed({ web_search_options: {} }, parts(2_000_000, 5))).prompt_tokens).toBe(2e6);
        const picture = {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
            { type: 'text', text: claim(parts(150_000, 5)) },
          ],
        };
        const seen = await call({ stream, messages: [picture] });
        expect(seen).toMatchObject({ prompt_tokens: 150_000, doubts: [] });
        // The estimate counts white space as almost nothing; an upstream may count each piece of it.
        const blank = await believed({ metadata: { blank: ' \n'.repeat(100_000) } }, parts(200_000, 5));
        expect(blank.prompt_tokens).toBe(200_000);
      });

      test('the limit and the search that the operator sets on a channel count as asked for (M12, M13)', async () => {
        await using station = await openStation(label);
        const { relay, call } = station;
        await using upstream = startClaimingUpstream();
        const overrides = { max_tokens: 1000, web_search_options: {} };
        await relay.channel({
          base_url: upstream.url,
          models: ['gpt-4o-mini'],
          fields: { param_override: JSON.stringify(overrides) },
        });
        const usage = parts(10, 900, { num_search_queries: 2 });
        const body = { stream, max_tokens: 100, messages: messages(usage) };
        const row = await call(body, '/v1/chat/completions', 'gpt-4o-mini');
        expect(row).toMatchObject({ completion_tokens: 900, doubts: [] });
      });
    });
  }

  describe('other endpoints with unbelievable usage', () => {
    test('embeddings and rankings cost no more than their request can hold (M13)', async () => {
      await using station = await openStation(label);
      const { call } = station;
      const input = (usage: object) => ({ input: claim({ usage }) });
      const embedding = (usage: object) => call(input(usage), '/v1/embeddings', 'text-embedding-3-small');
      expect(await embedding({ prompt_tokens: 20, total_tokens: 20 })).toMatchObject({
        prompt_tokens: 20,
        doubts: [],
      });
      const absurd = await embedding({ prompt_tokens: 9e11, total_tokens: 9e11 });
      expect(absurd.prompt_tokens).toBeLessThan(102_000);
      const total = await embedding({ prompt_tokens: 20, total_tokens: 9e11 });
      expect(total).toMatchObject({ usage: { input: 20 }, completion_tokens: 0 });

      const units = { meta: { billed_units: { search_units: Number.MAX_SAFE_INTEGER } } };
      const ranking = await call({ query: claim(units), documents: ['a', 'b'] }, '/v1/rerank', 'rerank-1');
      expect(ranking.doubts).toEqual([{ count: 'units', reported: Number.MAX_SAFE_INTEGER, charged: 2 }]);
    });
  });
});
