// Random equal and unequal calls amid random faults, purges and changes of prices, on balances of every size: each call is charged at most once, no
// hit reaches the upstream, a hit has the text of an answer that the upstream gave to the same request, and the books are right. TEST_SEED repeats
// the draws, BILLING_STEPS makes the run longer.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Behaviour } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { cacheScene, CHAT, expectBooks, type CacheScene, type Reply } from './answer-cache-scene.ts';
import type { TestToken } from './harness.ts';
import { addressOf, diceFor, numberIn } from './virtual-draws.ts';

const calls = Math.min(Number(process.env['BILLING_STEPS'] ?? 200), 3000);
setDefaultTimeout(60_000 + calls * 200);

const AT_ONCE = 12;
const QUESTIONS = 15;
const FAULTS: readonly Behaviour[] = [
  { status: 429 },
  { status: 500 },
  { errorInside200: true },
  { resetAtByte: 0 },
  { resetAfterEvents: 2 },
  { cutAfterEvents: 3 },
  { usageReport: 'missing' },
  { finishReason: 'content_filter' },
];

interface Asked {
  readonly token: TestToken;
  readonly question: number;
  readonly isStream: boolean;
  readonly leaves: boolean;
  readonly reply: Reply | undefined;
}

for (const database of databaseLabels)
  describe(database, () => {
    let scene: CacheScene;
    beforeAll(async () => {
      scene = await cacheScene(database, { timeouts: { firstByteSeconds: 20 } });
      let served = 0;
      scene.mock.behave({
        behaviour: ({ lastUserText }) => {
          served += 1;
          const dice = diceFor(seed, 'cached attempt', served);
          const fault = dice.next() < 0.25 ? dice.pick(FAULTS) : {};
          const text = `answer-${served}-to-${numberIn(lastUserText)}.`;
          return {
            text,
            outputTokens: dice.between(1, 60),
            headersDelayMilliseconds: dice.between(0, 20),
            ...fault,
          };
        },
      });
    });
    afterAll(() => scene[Symbol.asyncDispose]());

    async function ask(number: number, token: TestToken): Promise<Asked> {
      const dice = diceFor(seed, 'cached call', number);
      const question = dice.between(0, QUESTIONS - 1);
      const isStream = dice.next() < 0.5;
      const leaves = dice.next() < 0.08;
      const asked = { token, question, isStream, leaves, reply: undefined };
      const body = {
        model: CHAT,
        messages: [{ role: 'user', content: `call ${question}; why?` }],
        max_tokens: 200,
        stream: isStream,
      };
      const headers = {
        'X-Forwarded-For': addressOf(number),
        ...(dice.next() < 0.1 ? { 'Tollgate-Cache': dice.pick(['bypass', 'refresh']) } : {}),
      };
      if (leaves) {
        const leaving = new AbortController();
        setTimeout(() => leaving.abort(), dice.between(0, 40));
        await fetch(`${scene.url}/v1/chat/completions`, {
          method: 'POST',
          signal: leaving.signal,
          headers: { Authorization: `Bearer ${token.key}`, 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }).then(
          (response) => response.text().catch(() => ''),
          () => '',
        );
        return asked;
      }
      const reply = await scene.send(token, '/v1/chat/completions', body, headers).catch(() => undefined);
      return { ...asked, reply };
    }

    test(`${calls} calls, ${AT_ONCE} at once (seed ${seed})`, async () => {
      const given = new Map<TestToken, number>();
      const keeping = async (quota: number) => {
        const token = await scene.keeping({ quota });
        given.set(token, quota);
        return token;
      };
      const tokens = [await keeping(50_000_000), await keeping(30_000), await keeping(3000)];
      const done: Asked[] = [];
      let next = 0;
      const worker = async () => {
        while (next < calls) {
          const number = next++;
          scene.endCooling();
          const dice = diceFor(seed, 'cache payer', number);
          if (number % 40 === 20)
            await scene.cache().purge(dice.next() < 0.5 ? {} : { token_id: tokens[0]?.id });
          if (number % 50 === 30)
            await scene.set({ AnswerCachePricePercent: String(dice.pick([0, 1, 10, 33.3, 100])) });
          done.push(
            await ask(number, tokens[number % 3 === 0 ? dice.between(1, 2) : 0] ?? expect.unreachable()),
          );
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      await expectBooks(scene);

      let hits = 0;
      for (const { token, question, reply } of done) {
        if (reply?.state !== 'hit') continue;
        hits += 1;
        expect(reply.text).toContain(`-to-${question}.`);
        const row = await scene.rowOf(reply);
        expect(row).toMatchObject({ user_id: token.userId, channel_id: 0, cost: 0, type: 2 });
        const twin = done.find(
          (other) =>
            other.reply?.text === reply.text && other.reply.state === 'miss' && other.token === token,
        );
        expect(twin?.question ?? question).toBe(question);
      }
      expect(hits).toBeGreaterThan(0);
      for (const [{ userId }, quota] of given) {
        const rows = await scene.logs(userId);
        const charges = await scene.entriesOf(userId);
        const spent = charges.reduce((sum, amount) => sum + amount, 0);
        expect(rows.filter(({ type }) => type === 2).reduce((sum, row) => sum + row.quota, 0)).toBe(spent);
        expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(rows.length);
        const user = await scene.userRow(userId);
        expect(user).toMatchObject({ quota: quota - spent, held_quota: 0, used_quota: spent });
        expect(user.quota).toBeGreaterThanOrEqual(0);
        for (const row of rows) {
          const other = JSON.parse(row.other) as { answer_cache?: object };
          const attempts = scene.mock.requests.length;
          expect(attempts).toBeGreaterThan(0);
          if (other.answer_cache !== undefined) expect(row.channel_id).toBe(0);
        }
      }
    });
  });
