// Random calls of random virtual models in front of an upstream that fails in random ways, with balances for a few calls and twenty at
// once: every call is charged at most once, for the model that answered or at the name's own price, and never above its hold. TEST_SEED
// repeats the draws, BILLING_STEPS makes the run longer.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { ServedRequest } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { seed } from '#tests/support/random.ts';
import { eventually, startRelay, type RelayHarness, type TestToken } from './harness.ts';
import {
  addressOf,
  bodyOf,
  CHANNELS,
  costOf,
  diceFor,
  drawBehaviour,
  drawCall,
  drawVirtuals,
  numberIn,
  OUTPUT_FACTOR,
  ratioOf,
  saveVirtuals,
  SETTINGS,
  textOf,
  type DrawnCall,
} from './virtual-draws.ts';

const calls = Math.min(Number(process.env['BILLING_STEPS'] ?? 240), 3000);
setDefaultTimeout(60_000 + calls * 200);

const AT_ONCE = 20;
/** A stream is never further ahead of its hold. */
const SLICE_TOKENS = 1024;
/** From a few dear calls to more than all. */
const BALANCES = [20_000, 90_000, 400_000, 50_000_000];

interface Asked {
  call: DrawnCall;
  token: TestToken;
  status: number;
  answered: string | null;
  text: string;
}

interface Other {
  asked_model?: string;
  answered_model?: string;
  ending?: string;
}

for (const database of databaseLabels)
  describe(database, () => {
    let relay: RelayHarness;
    const drawn = new Map<number, DrawnCall>();

    beforeAll(async () => {
      const timeouts = { firstByteSeconds: 1, idleSeconds: 20, totalSeconds: 30 };
      relay = await startRelay({ database, settings: SETTINGS, timeouts });
      for (const channel of CHANNELS) await relay.channel(channel);
      await saveVirtuals(relay.store, drawVirtuals(seed));
      relay.mock.behave({
        behaviour: ({ lastUserText, model, key }) => {
          const call = drawn.get(numberIn(lastUserText));
          if (call === undefined) throw new Error(`a call that nobody made: ${lastUserText.slice(0, 50)}`);
          return drawBehaviour(seed, call, model, key);
        },
      });
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    async function ask(call: DrawnCall, token: TestToken): Promise<Asked> {
      drawn.set(call.number, call);
      const leaving = new AbortController();
      if (call.leavesAfter !== undefined) setTimeout(() => leaving.abort(), call.leavesAfter);
      const asked = { call, token, status: 0, answered: null, text: '' };
      const tier: Record<string, string> = call.isGold ? { 'X-Tier': 'gold' } : {};
      try {
        const response = await fetch(`${relay.url}/v1/chat/completions`, {
          method: 'POST',
          signal: leaving.signal,
          headers: {
            Authorization: `Bearer ${token.key}`,
            'Content-Type': 'application/json',
            'X-Forwarded-For': addressOf(call.number),
            ...tier,
          },
          body: JSON.stringify(bodyOf(call)),
        });
        const { status, headers } = response;
        Object.assign(asked, { status, answered: headers.get('x-tollgate-model') });
        asked.text = await response.text().catch(() => '');
      } catch {
        // The caller left, or the stream broke.
      }
      return asked;
    }

    let attempts = new Map<number, ServedRequest[]>();
    const attemptsOf = ({ number }: DrawnCall) => attempts.get(number) ?? [];

    /** In the order of its targets, each channel once, and no more than the retry setting allows. */
    function expectNoLoop({ call }: Asked): void {
      const own = attemptsOf(call);
      const order = call.virtual.targets.map(({ model }) => model);
      const places = own.map(({ model }) => order.indexOf(model));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(-1);
      expect(new Set(own.map(({ key }) => key)).size).toBe(own.length);
    }

    function expectCharge(asked: Asked, rows: readonly Row<'logs'>[], charges: ReadonlyMap<string, number>) {
      const { call, status, answered } = asked;
      const last = attemptsOf(call).at(-1);
      expect(rows.length).toBeLessThanOrEqual(1);
      const [row] = rows;
      const charged = row === undefined ? 0 : (charges.get(row.request_id) ?? 0);
      if (row?.type !== 2) {
        // Nothing is paid for those that failed, and nothing that was answered is free.
        expect(charged).toBe(0);
        // A stream may break before its first token.
        const isServed = last?.ending === 'complete' && last.outputTokensWritten > 0;
        if (call.leavesAfter === undefined) expect(status === 200 && isServed).toBe(false);
        return;
      }
      const { asked_model, answered_model = '', ending: cut } = JSON.parse(row.other) as Other;
      expect(asked_model).toBe(call.virtual.name);
      // A request that was ended on its way, by its caller or an empty balance, may not have reached the upstream.
      if (call.leavesAfter === undefined && cut !== 'quota') expect(answered_model).toBe(last?.model ?? '');
      expect(call.virtual.targets.map(({ model }) => model)).toContain(answered_model);
      expect(row.model_name).toBe(call.virtual.isOwn ? call.virtual.name : answered_model);
      if (answered !== null) expect(answered).toBe(answered_model);
      expect(row.quota).toBe(costOf(row.model_name, row.prompt_tokens, row.completion_tokens));
      expect(charged).toBe(row.quota);
      if (last === undefined || call.leavesAfter !== undefined) return;
      const { usage, ending, usageReports, outputTokensWritten } = last;
      // A stream that the balance does not pay to its end is cut.
      if (ending === 'complete' && usageReports > 0 && cut === undefined)
        expect([row.prompt_tokens, row.completion_tokens]).toEqual([usage.inputTokens, usage.outputTokens]);
      const served = costOf(row.model_name, 0, outputTokensWritten);
      expect(served).toBeLessThanOrEqual(row.quota + SLICE_TOKENS * OUTPUT_FACTOR * ratioOf(row.model_name));
    }

    test(`${calls} calls, ${AT_ONCE} at once (seed ${seed})`, async () => {
      const virtuals = drawVirtuals(seed);
      const given = new Map<TestToken, number>();
      const callerWith = async (quota: number): Promise<TestToken> => {
        const token = await relay.token({ quota });
        given.set(token, quota);
        return token;
      };
      const rich = await Promise.all(BALANCES.map(callerWith));
      const dice = diceFor(seed, 'callers');
      const done: Asked[] = [];
      let next = 0;
      const worker = async () => {
        while (next < calls) {
          const number = next++;
          // Limits and outages are forgotten now and then, so that targets are not only passed over.
          if (number % 12 === 0) relay.endCooling();
          // Every third caller may have enough for the first target, and not for the next.
          const token = number % 3 === 0 ? await callerWith(dice.between(300, 9000)) : dice.pick(rich);
          done.push(await ask(drawCall(seed, number, virtuals), token));
          if (number % 10 === 0) expect((await relay.userRow(token.userId)).quota).toBeGreaterThanOrEqual(0);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      // All at once on a balance that pays for a few of them.
      const poor = await callerWith(40_000);
      relay.endCooling();
      const burst = Array.from({ length: AT_ONCE }, (_, at) =>
        ask(drawCall(seed, calls + at, virtuals), poor),
      );
      done.push(...(await Promise.all(burst)));
      expect(
        await eventually(
          () => relay.holds(),
          (count) => count === 0,
        ),
      ).toBe(0);

      attempts = Map.groupBy(relay.mock.requests, ({ body }) => numberIn(JSON.stringify(body)));
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
      for (const asked of done) {
        const own = rows.filter(({ ip }) => ip === addressOf(asked.call.number));
        try {
          expectNoLoop(asked);
          expectCharge(asked, own, charges);
        } catch (error) {
          const { call, status, text } = asked;
          const seen = attemptsOf(call).map(({ model, status: code, ending, usage }) => ({
            model,
            code,
            ending,
            usage,
          }));
          process.stderr.write(
            JSON.stringify(
              {
                seed,
                call: { ...call, text: textOf(call).slice(0, 20) },
                status,
                text: text.slice(0, 300),
                seen,
                own,
              },
              undefined,
              1,
            ),
          );
          throw error;
        }
      }
      for (const [{ userId }, quota] of given) {
        const spent = entries
          .filter(({ user_id }) => user_id === userId)
          .reduce((sum, { amount }) => sum + amount, 0);
        const user = await relay.userRow(userId);
        expect(user).toMatchObject({
          quota: quota - spent,
          held_quota: 0,
          used_quota: spent,
        });
        expect(user.quota).toBeGreaterThanOrEqual(0);
      }
      // The draws reach what the test is about.
      const moved = done.filter(({ call }) => new Set(attemptsOf(call).map(({ model }) => model)).size > 1);
      expect(moved.length).toBeGreaterThan(calls / 20);
      expect(charges.size).toBeGreaterThan(calls / 5);
      expect(relay.alerts.filter(({ kind }) => kind === 'suspense' || kind === 'above_hold')).toEqual([]);
      expect(await checkInvariants(relay.store)).toEqual([]);
    });
  });
