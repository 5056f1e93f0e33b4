// Random calls amid random faults, most of them late, on several channels of one model: at the same moment, after a failure, while the
// caller leaves, on a balance for a few calls. Every call is charged at most once, for the attempt that answered, and what lost is never
// in a balance. TEST_SEED repeats the draws, BILLING_STEPS makes the run longer.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { HedgeRecord } from '#server/relay/money/log-row.ts';
import type { Behaviour, ServedRequest } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';
import { addressOf, diceFor, numberIn } from './virtual-draws.ts';

const calls = Math.min(Number(process.env['BILLING_STEPS'] ?? 200), 3000);
setDefaultTimeout(60_000 + calls * 200);

const AT_ONCE = 20;
const MODEL = 'raced';
const RATIO = 4;
const OUTPUT_FACTOR = 4;
/** A stream is never further ahead of its hold. */
const SLICE_TOKENS = 1024;
const LATE_MILLISECONDS = 60;
const KEYS = ['sk-one', 'sk-two', 'sk-three'];
const costOf = (input: number, output: number) => (input + output * OUTPUT_FACTOR) * RATIO;

const FAULTS: readonly Behaviour[] = [
  { status: 429 },
  { status: 500 },
  { status: 400, errorCode: 'invalid_request_error', errorMessage: 'no' },
  { errorInside200: true },
  { resetAtByte: 0 },
  { resetAfterEvents: 2 },
  { cutAfterEvents: 3 },
  { errorAfterEvents: 2 },
  { usageReport: 'missing' },
  { firstTokenDelayMilliseconds: 150 },
];

/** Most are late, many of them just as late as a second attempt needs to answer at the same moment. */
function behaviourOf(number: number, key: string): Behaviour {
  const dice = diceFor(seed, 'hedged attempt', number, key);
  const outputTokens = dice.between(1, 120);
  const way = dice.next();
  const delay =
    way < 0.35
      ? 0
      : way < 0.7
        ? (key === KEYS[0] ? LATE_MILLISECONDS + 40 : 40) + dice.between(-8, 8)
        : way < 0.9
          ? dice.between(100, 300)
          : 4000;
  const fault = dice.next() < 0.35 ? dice.pick(FAULTS) : {};
  return { outputTokens, headersDelayMilliseconds: delay, ...fault };
}

interface Asked {
  number: number;
  token: TestToken;
  status: number;
  leaves: boolean;
}

for (const database of databaseLabels)
  describe(database, () => {
    let relay: RelayHarness;

    beforeAll(async () => {
      relay = await startRelay({
        database,
        timeouts: { firstByteSeconds: 2, idleSeconds: 20, totalSeconds: 30 },
        settings: {
          RetryTimes: '1',
          ModelRatio: JSON.stringify({ [MODEL]: RATIO }),
          CompletionRatio: JSON.stringify({ [MODEL]: OUTPUT_FACTOR }),
          HedgeGroups: 'default',
          HedgeSharePercent: '50',
          HedgeDollarsPerDay: '1000',
          HedgeLeastMilliseconds: String(LATE_MILLISECONDS),
          HedgeMostMilliseconds: String(LATE_MILLISECONDS),
        },
      });
      const prices = {
        kind: 'table',
        models: { [MODEL]: { input: 2, output: 4 } },
        recharge_rate: 1,
        batch_ratio: 1,
      };
      for (const [index, key] of KEYS.entries()) {
        const id = await relay.channel({
          models: [MODEL],
          key,
          priority: KEYS.length - index,
          fields: { buy_price: JSON.stringify(prices) },
        });
        for (let at = 0; at < 20; at += 1) relay.relay.core.firstTokens.note(id, MODEL, 10);
      }
      relay.mock.behave({ behaviour: ({ lastUserText, key }) => behaviourOf(numberIn(lastUserText), key) });
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    async function ask(number: number, token: TestToken): Promise<Asked> {
      const dice = diceFor(seed, 'hedged call', number);
      const leaves = dice.next() < 0.12;
      const leaving = new AbortController();
      if (leaves) setTimeout(() => leaving.abort(), dice.between(0, 200));
      // Earned by calls that are not made here: most calls are late.
      relay.relay.core.hedges.earn();
      relay.relay.core.hedges.earn();
      const asked = { number, token, status: 0, leaves };
      try {
        const response = await fetch(`${relay.url}/v1/chat/completions`, {
          method: 'POST',
          signal: leaving.signal,
          headers: {
            Authorization: `Bearer ${token.key}`,
            'Content-Type': 'application/json',
            'X-Forwarded-For': addressOf(number),
          },
          body: JSON.stringify({
            model: MODEL,
            messages: [{ role: 'user', content: `call ${number}; ${'to a '.repeat(dice.pick([3, 100]))}` }],
            max_tokens: dice.pick([30, 300, 2000]),
            stream: true,
          }),
        });
        asked.status = response.status;
        await response.text();
      } catch {
        // The caller left, or the stream broke.
      }
      return asked;
    }

    test(`${calls} calls, ${AT_ONCE} at once (seed ${seed})`, async () => {
      const given = new Map<TestToken, number>();
      const callerWith = async (quota: number) => {
        const token = await relay.token({ quota });
        given.set(token, quota);
        return token;
      };
      const rich = await callerWith(100_000_000);
      const tight = await callerWith(60_000);
      const done: Asked[] = [];
      let next = 0;
      const worker = async () => {
        while (next < calls) {
          const number = next++;
          if (number % 8 === 0) relay.endCooling();
          const dice = diceFor(seed, 'payer', number);
          const token =
            number % 4 === 0 ? await callerWith(dice.between(300, 9000)) : number % 4 === 1 ? tight : rich;
          done.push(await ask(number, token));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(
        await eventually(
          () => relay.holds(),
          (count) => count === 0,
        ),
      ).toBe(0);
      await eventually(
        () => relay.mock.requests.filter(({ ending }) => ending === 'open').length,
        (count) => count === 0,
      );
      await relay.relay.core.hedges.flush();

      const attempts = Map.groupBy(relay.mock.requests, ({ body }) => numberIn(JSON.stringify(body)));
      const users = [...given.keys()].map(({ userId }) => userId);
      const rows = await relay.store.db
        .selectFrom('logs')
        .selectAll()
        .where('user_id', 'in', users)
        .execute();
      const entries = await relay.store.db
        .selectFrom('ledger')
        .select(['idem', 'kind', 'amount', 'user_id'])
        .where('user_id', 'in', users)
        .where('kind', '!=', 'test')
        .execute();
      expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['use']));
      const charges = new Map(entries.map(({ idem, amount }) => [idem, amount]));
      expect(charges.size).toBe(entries.length);

      let hedged = 0;
      for (const { number, status, leaves } of done) {
        const sent: ServedRequest[] = attempts.get(number) ?? [];
        // No channel twice, and no more attempts than the first, one beside it, and one retry.
        expect(new Set(sent.map(({ key }) => key)).size).toBe(sent.length);
        const own = rows.filter(({ ip }) => ip === addressOf(number));
        expect(own.length).toBeLessThanOrEqual(1);
        const [row] = own;
        if (row === undefined) continue;
        const { ending, admin_info } = JSON.parse(row.other) as {
          ending?: string;
          admin_info: { attempts: { channel: number; lost?: boolean }[]; hedge?: HedgeRecord };
        };
        if (admin_info.hedge?.channel !== undefined) hedged += 1;
        const charged = charges.get(row.request_id) ?? 0;
        if (row.type !== 2) {
          expect(charged).toBe(0);
          if (!leaves) expect(status).not.toBe(200);
          continue;
        }
        expect(row.quota).toBe(costOf(row.prompt_tokens, row.completion_tokens));
        expect(charged).toBe(row.quota);
        if (leaves) continue;
        // Of the attempts one was not ended by us, and that one is charged.
        expect(admin_info.attempts.at(-1)).toMatchObject({ channel: row.channel_id });
        expect(admin_info.attempts.at(-1)).not.toHaveProperty('lost');
        const served = sent.filter(({ outputTokensWritten }) => outputTokensWritten > 0);
        const most = Math.max(0, ...served.map(({ outputTokensWritten }) => outputTokensWritten));
        if (ending === undefined)
          expect(served.some(({ usage }) => usage.outputTokens === row.completion_tokens)).toBe(true);
        expect(costOf(0, Math.min(most, row.completion_tokens))).toBeLessThanOrEqual(
          row.quota + SLICE_TOKENS * OUTPUT_FACTOR * RATIO,
        );
      }
      for (const [{ userId }, quota] of given) {
        const spent = entries
          .filter(({ user_id }) => user_id === userId)
          .reduce((sum, { amount }) => sum + amount, 0);
        const user = await relay.userRow(userId);
        expect(user).toMatchObject({ quota: quota - spent, held_quota: 0, used_quota: spent });
        expect(user.quota).toBeGreaterThanOrEqual(0);
      }
      // What lost is in the operator's costs, once for each race, and the limit of the day knows as much.
      const losses = await relay.store.db.selectFrom('hedge_hours').selectAll().execute();
      const sum = (name: 'count' | 'cost') => losses.reduce((total, row) => total + row[name], 0);
      expect(sum('count')).toBeGreaterThanOrEqual(hedged);
      const days = await relay.store.db.selectFrom('hedge_days').selectAll().execute();
      expect(days.reduce((total, { spent }) => total + spent, 0)).toBe(sum('cost'));
      expect(hedged).toBeGreaterThan(calls / 10);
      expect(charges.size).toBeGreaterThan(calls / 5);
      // Nothing runs on: the channels are free, and no attempt waits.
      expect(relay.relay.core.running.size).toBe(0);
      expect(relay.relay.core.streams.size).toBe(0);
      expect(relay.alerts.filter(({ kind }) => kind === 'suspense' || kind === 'above_hold')).toEqual([]);
      expect(await checkInvariants(relay.store)).toEqual([]);
    });
  });
