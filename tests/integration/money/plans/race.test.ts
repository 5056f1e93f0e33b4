// Many calls at once for the last units of a subscription, over two nodes where there can be two; and kill -9 in between.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';
import { applicationWriter, forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { createWorld, outcome, reserve } from '#tests/integration/money/ledger/world.ts';
import { dice } from '#tests/support/random.ts';
import { age, daySeconds, planFirst, subscribe, subscriptionRow } from './world.ts';

setDefaultTimeout(120_000);

forEachDatabase((label, open) => {
  describe('one subscription, many calls', () => {
    test('two nodes racing for the last units never take more than there is', async () => {
      const store = await open();
      const world = await createWorld(store);
      const nodes = [world.ledger];
      if (label === 'postgres') nodes.push(await world.reopen({ nodeId: 'node-2' }));
      const userId = await world.user(150);
      const tokenId = await world.token(userId);
      const plan = await subscribe(world, userId, { period_quota: 1000 });
      const answers = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const ledger = nodes[index % nodes.length] ?? world.ledger;
          return { ledger, ...(await reserve(ledger, userId, tokenId, 30, planFirst(plan))) };
        }),
      );
      const admitted = answers.filter(({ admission }) => admission.ok);
      // 1150 units are 38 times 30; one of the calls is divided between the pockets.
      expect(admitted.length).toBe(38);
      expect(await subscriptionRow(store, plan)).toMatchObject({ quota: 1000, held: 1000 });
      const charged = await Promise.all(
        admitted.map(({ ledger, requestId }) => ledger.settle(requestId, outcome(30))),
      );
      expect(charged.every(({ suspense }) => suspense === 0)).toBe(true);
      expect(await subscriptionRow(store, plan)).toMatchObject({ quota: 0, held: 0 });
      expect(await world.findUser(userId)).toMatchObject({ quota: 10, held_quota: 0, used_quota: 1140 });
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    test('many calls and jobs that meet the end of a period end it once', async () => {
      const store = await open();
      const world = await createWorld(store);
      const userId = await world.user(0);
      const tokenId = await world.token(userId);
      const plan = await subscribe(world, userId, { period_quota: 1000 });
      await age(store, plan, daySeconds);
      const work = Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) {
          await world.ledger.rollPeriod(plan);
          return;
        }
        const { requestId } = await reserve(world.ledger, userId, tokenId, 100, planFirst(plan));
        await world.ledger.settle(requestId, outcome(50));
      });
      await Promise.all(work);
      expect(await subscriptionRow(store, plan)).toMatchObject({ period: 1, quota: 500, held: 0 });
      expect(await checkInvariants(store)).toEqual([]);
      await world.close();
    });

    test('M5 killed under load: no acknowledged charge is lost or doubled in either pocket', async () => {
      const place = await temporaryPlace(label);
      const options = { ...place, writerEntry: applicationWriter };
      let store = await openStore(options);
      const world = await createWorld(store, { nodeId: 'preparing' });
      const userId = await world.user(1_000_000);
      const tokenId = await world.token(userId);
      const plan = await subscribe(world, userId, { period_quota: 20_000 });
      await world.close();
      await store.close();
      const acknowledged = new Map<string, number>();
      for (let round = 0; round < 2; round += 1) {
        const values = [place.dataDir, place.databaseUrl ?? '', userId, tokenId, `run${round}`, plan];
        for (const [id, charge] of await killedRun(values.map(String))) acknowledged.set(id, charge);
      }
      expect(acknowledged.size).toBeGreaterThan(40);
      store = await openStore(options);
      const ledger = await openLedger({
        store,
        nodeId: 'crashing',
        dataDir: place.dataDir,
        version: 'test',
      });
      await ledger.recover();
      const entries = await store.db
        .selectFrom('ledger')
        .select(['idem', 'amount'])
        .where('kind', '=', 'use')
        .execute();
      const booked = new Map<string, number>();
      for (const { idem, amount } of entries) {
        const call = idem.replace(/:plan$/, '');
        booked.set(call, (booked.get(call) ?? 0) + amount);
      }
      const wrong = [...acknowledged].filter(([id, charge]) => booked.get(id) !== charge);
      expect(wrong).toEqual([]);
      expect((await subscriptionRow(store, plan)).held).toBe(0);
      expect(await checkInvariants(store)).toEqual([]);
      await ledger.close();
      await store.close();
      await place.remove();
    });
  });
});

async function killedRun(values: string[]): Promise<[string, number][]> {
  const script = new URL('../ledger/crash-child.ts', import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, ...values], { stdout: 'pipe', stderr: 'inherit' });
  const decoder = new TextDecoder();
  let text = '';
  let killing: Promise<void> | undefined;
  for await (const piece of child.stdout) {
    text += decoder.decode(piece, { stream: true });
    if (killing === undefined && text.split('\ncharged ').length > 30)
      killing = Bun.sleep(dice.next() * 300).then(() => child.kill('SIGKILL'));
  }
  await killing;
  await child.exited;
  // A line that was cut by the kill says nothing.
  return [...text.matchAll(/^charged (\S+) (\d+)\n/gm)].map(([, id = '', charge]) => [id, Number(charge)]);
}
