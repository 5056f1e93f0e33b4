// One record per request id: settlement, recovery, replay and release of a call meet there, and whatever comes first, the
// call is charged, logged and counted once, for what its settlement says.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import type { Operation } from '#server/money/ledger/engine/operations.ts';
import { withoutConflict } from '#server/money/ledger/postgres/errors.ts';
import type { Store } from '#server/platform/store/store.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import {
  applyAll,
  checkpointChannel,
  checkpointCost,
  lastChannel,
  lastCost,
  openCalls,
  progressing,
  recovering,
  releasing,
  settling,
  tokenQuota,
  tracesOf,
  type Call,
  type Scenario,
} from './settlement-world.ts';
import { createWorld, grant, type World } from './world.ts';

setDefaultTimeout(120_000);

const scenarios: Scenario[] = [
  { what: 'not sent', balance: 1000, held: 300, checkpoint: undefined, charge: 240 },
  { what: 'sent, no checkpoint', balance: 1000, held: 300, checkpoint: 'none', charge: 240 },
  { what: 'a checkpoint below the charge', balance: 1000, held: 300, checkpoint: 150, charge: 240 },
  { what: 'a checkpoint above the charge', balance: 1000, held: 300, checkpoint: 290, charge: 240 },
  { what: 'a checkpoint of the charge', balance: 1000, held: 300, checkpoint: 240, charge: 240 },
  { what: 'charged in full', balance: 1000, held: 300, checkpoint: 10, charge: 240, policy: 'full' },
  { what: 'free', balance: 1000, held: 0, checkpoint: 'none', charge: 0 },
  { what: 'free after a checkpoint', balance: 1000, held: 300, checkpoint: 100, charge: 0 },
  { what: 'partly in suspense', balance: 500, held: 300, checkpoint: 100, charge: 900 },
  { what: 'above its hold', balance: 1000, held: 300, checkpoint: 100, charge: 500 },
  { what: 'a checkpoint further above the hold', balance: 1000, held: 100, checkpoint: 250, charge: 180 },
  { what: 'only the checkpoint above the hold', balance: 1000, held: 100, checkpoint: 250, charge: 90 },
  { what: 'wholly in suspense', balance: 0, held: 0, checkpoint: 'none', charge: 240 },
];

const steps = { settle: settling, recover: recovering, release: releasing };
type Step = keyof typeof steps;
/** A settlement, its replay and a second replay; recovery and release by two nodes. */
const orders = arrangements(['settle', 'settle', 'settle', 'recover', 'recover', 'release', 'release']);

function expected({ balance, held, charge }: Scenario): unknown {
  const charged = Math.min(balance, charge);
  const figures = { prompt_tokens: 60, completion_tokens: 40 };
  return {
    user: [balance - charged, 0, charged, 1],
    token: [tokenQuota - charged, 0, charged, 1],
    records: 1,
    charged,
    suspense: charge - charged,
    aboveHold: Math.max(0, charged - held),
    hours: [
      {
        isOwnToken: true,
        channel_id: lastChannel,
        model_name: 'gpt-4o',
        count: 1,
        quota: charged,
        ...figures,
        error_count: 0,
        use_time_ms: 1200,
        first_token_ms: 300,
      },
    ],
    margins: [
      {
        channel_id: lastChannel,
        model_name: 'gpt-4o',
        group: 'default',
        count: 1,
        quota: charged,
        cost: lastCost,
        costed_count: 1,
        costed_quota: charged,
      },
    ],
    logs: [
      {
        quota: charged,
        cost: lastCost,
        ...figures,
        channel_id: lastChannel,
        estimated: 0,
        content: '',
        other: '{}',
      },
    ],
    holds: 0,
  };
}

forEachDatabase((label, open) => {
  describe('one settlement record', () => {
    let store: Store;
    let world: World;
    beforeEach(async () => {
      store = await open();
      world = await createWorld(store);
      await store.db
        .insertInto('channels')
        .values([checkpointChannel, lastChannel].map((id) => ({ id, name: String(id) })))
        .execute();
    });
    afterEach(async () => {
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    async function expectOnce(calls: readonly Call[], orderOf: (index: number) => string): Promise<void> {
      let charged = 0;
      const traces = await tracesOf(store, calls);
      for (const [index, call] of calls.entries()) {
        const what = `${call.scenario.what}: ${orderOf(index)}`;
        expect({ what, traces: traces[index] }).toEqual({ what, traces: expected(call.scenario) });
        charged += Math.min(call.scenario.balance, call.scenario.charge);
      }
      const channels = await store.db.selectFrom('channels').select('used_quota').orderBy('id').execute();
      expect(channels.map(({ used_quota }) => used_quota)).toEqual([0, charged]);
    }

    for (const scenario of scenarios) {
      test(`M4 M5 ${scenario.what}: every order of settle, replay, recover and release has one effect`, async () => {
        const calls = await openCalls(
          store,
          orders.map(() => scenario),
        );
        for (let step = 0; step < 7; step += 1) {
          const operations = calls.map((call, index) => steps[orders[index]?.[step] ?? 'settle'](call));
          await applyAll(store, operations);
        }
        await expectOnce(calls, (index) => orders[index]?.join(', ') ?? '');
      });
    }

    test('M4 M5 recovery and settlements that run at once have one effect', async () => {
      const calls = await openCalls(
        store,
        scenarios.flatMap((scenario) => Array.from({ length: 10 }, () => scenario)),
      );
      const all = (step: Step) => calls.map((call): Operation => steps[step](call));
      const rounds = [all('settle'), all('recover'), all('settle').toReversed(), all('recover').toReversed()];
      await Promise.all(rounds.map((operations) => withoutConflict(() => applyAll(store, operations))));
      await expectOnce(calls, () => 'at once');
    });

    if (label === 'postgres') {
      test('M4 M5 every order inside one batch has one effect', async () => {
        const chosen = scenarios.flatMap((scenario) => orders.map((order) => ({ scenario, order })));
        const calls = await openCalls(
          store,
          chosen.map(({ scenario }) => scenario),
        );
        // The server ends a transaction that waits for a busy process, so each batch stays near the size of the product's.
        const callsPerBatch = 200;
        for (let first = 0; first < calls.length; first += callsPerBatch) {
          const batch = calls.slice(first, first + callsPerBatch);
          await applyAll(
            store,
            batch.flatMap(
              (call, index) => chosen[first + index]?.order.map((step) => steps[step](call)) ?? [],
            ),
          );
        }
        await expectOnce(calls, (index) => chosen[index]?.order.join(', ') ?? '');
      });
    }

    const settled = async (...operations: ((call: Call) => Operation)[]) => {
      const [call] = await openCalls(store, [scenarios[2] as Scenario]);
      if (call === undefined) throw new Error('no call');
      for (const operation of operations) await applyAll(store, [operation(call)]);
      return call;
    };

    test('M5 a charge wholly in suspense is not booked again after a top-up', async () => {
      const scenario = scenarios.at(-1) as Scenario;
      const [call] = await openCalls(store, [scenario]);
      if (call === undefined) throw new Error('no call');
      await applyAll(store, [settling(call)]);
      await grant(world.ledger, call.userId, 1000);
      await applyAll(store, [settling(call)]);
      expect(await tracesOf(store, [call])).toMatchObject([
        {
          user: [1000, 0, 0, 1],
          charged: 0,
          suspense: 240,
          logs: [{ quota: 0 }],
        },
      ]);
    });

    test('a late settlement without a log row corrects the row that recovery wrote', async () => {
      const call = await settled(recovering, (late) => settling(late, { log: null }));
      expect(await tracesOf(store, [call])).toMatchObject([
        {
          charged: 240,
          logs: [
            { quota: 240, prompt_tokens: 60, completion_tokens: 40, channel_id: lastChannel, content: '' },
          ],
        },
      ]);
    });

    test('a late settlement after its log row was cleaned away counts the difference', async () => {
      const call = await settled(recovering);
      const later = Math.floor(Date.now() / 1000) + 60;
      await store.db.updateTable('log_cleaning').set({ cleaned_before: later }).execute();
      await store.db.deleteFrom('logs').execute();
      await applyAll(store, [settling(call), settling(call)]);
      expect(await tracesOf(store, [call])).toMatchObject([
        { user: [760, 0, 240, 1], charged: 240, logs: [] },
      ]);
    });

    test('a late settlement below the checkpoint gives an exhausted token its quota back', async () => {
      const [call] = await openCalls(store, [scenarios[3] as Scenario]);
      if (call === undefined) throw new Error('no call');
      await store.db
        .updateTable('tokens')
        .set({ remain_quota: 290 })
        .where('id', '=', call.tokenId)
        .execute();
      await applyAll(store, [recovering(call)]);
      expect(await tracesOf(store, [call])).toMatchObject([{ token: [0, 0, 290, 4] }]);
      await applyAll(store, [settling(call)]);
      expect(await tracesOf(store, [call])).toMatchObject([{ token: [50, 0, 240, 1] }]);
    });

    test('a call that recovery charged and its process releases gets everything back, once', async () => {
      const failed = (call: Call): Operation => ({ ...releasing(call), owner: call }) as Operation;
      const call = await settled(recovering, failed, failed, recovering);
      expect(await tracesOf(store, [call])).toMatchObject([
        {
          user: [1000, 0, 0, 1],
          token: [tokenQuota, 0, 0, 1],
          charged: 0,
          hours: [{ count: 1, quota: 0, error_count: 1 }],
          logs: [{ quota: 0, prompt_tokens: 0, completion_tokens: 0 }],
          holds: 0,
        },
      ]);
    });

    test('a checkpoint never falls: recovery charges and logs the largest one', async () => {
      const call = await settled(progressing(200, 30), progressing(180, 20), recovering);
      expect(await tracesOf(store, [call])).toMatchObject([
        { charged: 200, logs: [{ quota: 200, completion_tokens: 30, channel_id: checkpointChannel }] },
      ]);
    });

    test('a channel figure that the operator has set to zero stays at zero', async () => {
      const call = await settled(recovering);
      await store.db.updateTable('channels').set({ used_quota: 0 }).execute();
      await applyAll(store, [settling(call)]);
      const channels = await store.db.selectFrom('channels').select('used_quota').orderBy('id').execute();
      expect(channels.map(({ used_quota }) => used_quota)).toEqual([0, 240]);
    });

    test('a recovered call costs what it had cost at its checkpoint', async () => {
      const call = await settled(recovering);
      const { cost } = await store.db
        .selectFrom('logs')
        .select('cost')
        .where('request_id', '=', call.requestId)
        .executeTakeFirstOrThrow();
      expect(cost).toBe(checkpointCost);
    });

    test('a hold that is found beside the record of its call is released', async () => {
      const call = await settled(settling);
      await store.db.updateTable('users').set({ held_quota: 7 }).where('id', '=', call.userId).execute();
      await store.db
        .insertInto('holds')
        .values({
          id: call.requestId,
          user_id: call.userId,
          node_id: 'local',
          epoch: 1,
          amount: 7,
          created_at: 1,
          expires_at: 1,
          dispatched: 1,
          checkpoint_quota: 5,
          checkpoint: '',
        })
        .execute();
      await applyAll(store, [recovering(call)]);
      expect(await tracesOf(store, [call])).toEqual([expected(call.scenario)]);
    });
  });
});

/** Every distinct order of the items, of which some are equal. */
function arrangements(items: readonly Step[]): Step[][] {
  if (items.length === 0) return [[]];
  return [...new Set(items)].flatMap((first) => {
    const rest = items.toSpliced(items.indexOf(first), 1);
    return arrangements(rest).map((order) => [first, ...order]);
  });
}
