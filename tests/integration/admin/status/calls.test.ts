// Calls through the relay to a mock upstream: the measured figures equal the test's own count of what callers got.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createMeasuring, measuredCalls, refusedCalls } from '#server/admin/measured/index.ts';
import { watchIncidents } from '#server/admin/status/index.ts';
import { readIncidents } from '#server/admin/status/incidents.ts';
import { follow, positionOf, sumPeriods } from '#server/money/sums/engine.ts';
import { behaviourKey, type Behaviour } from '#mock/upstream/index.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import {
  eventually,
  startRelay,
  type RelayHarness,
  type TestToken,
} from '#tests/integration/relay/calls/harness.ts';

setDefaultTimeout(60_000);

const MODELS = ['good', 'retried', 'broken', 'down', 'picky', 'lost'];

for (const database of databaseLabels) {
  describe(database, () => {
    let relay: RelayHarness;
    let token: TestToken;
    const channels = new Map<string, number>();
    const counts = new Map<string, { answered: number; failed: number }>();

    const add = async (model: string, behaviour: Behaviour | undefined, priority = 0) => {
      const key = behaviour === undefined ? {} : { key: behaviourKey('sk-up', behaviour) };
      channels.set(`${model} ${priority}`, await relay.channel({ models: [model], priority, ...key }));
    };
    const call = async (model: string, extra: object = {}, key = token.key) => {
      const response = await relay.post('/v1/chat/completions', key, {
        model,
        messages: [{ role: 'user', content: 'hi' }],
        ...extra,
      });
      return { status: response.status, text: await response.text() };
    };
    const count = (model: string, outcome: 'answered' | 'failed') => {
      const known = counts.get(model) ?? { answered: 0, failed: 0 };
      known[outcome] += 1;
      counts.set(model, known);
    };

    beforeAll(async () => {
      relay = await startRelay({
        database,
        settings: {
          RetryTimes: '1',
          ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))),
        },
      });
      token = await relay.token();
      await add('good', undefined);
      await add('retried', { status: 500 }, 10);
      await add('retried', undefined, 0);
      await add('broken', { text: 'one two three four five six', resetAfterEvents: 3 });
      await add('down', { status: 500 });
      await add('picky', { status: 400, errorMessage: 'bad field', errorCode: 'invalid_request_error' });
      await add('lost', undefined);
    });
    afterAll(() => relay[Symbol.asyncDispose]());

    test('answers, retries, failures and refusals of models are counted to the call, faults of the caller are not', async () => {
      const { store } = relay;
      for (let at = 0; at < 6; at += 1) {
        const { status } = await call('good', { stream: at % 2 === 0 });
        expect(status).toBe(200);
        count('good', 'answered');
        relay.endCooling();
        expect((await call('retried')).status).toBe(200);
        count('retried', 'answered');
        await call('broken', { stream: true }).catch(() => {});
        count('broken', 'failed');
        relay.endCooling();
        expect((await call('down')).status).toBeGreaterThanOrEqual(500);
        count('down', 'failed');
        relay.endCooling();
        expect((await call('picky')).status).toBe(400);
      }
      // The caller's own: no balance, a model that nobody has, a wrong key.
      const poor = await relay.token({ quota: 0 });
      await call('good', {}, poor.key);
      await call('nobody-has-it');
      await call('good', {}, 'sk-wrong');
      // The only channel of a model is off.
      const lost = channels.get('lost 0') ?? 0;
      expect((await call('lost')).status).toBe(200);
      count('lost', 'answered');
      const at = Math.floor(Date.now() / 1000);
      await store.db
        .updateTable('channels')
        .set({ status: 3, other_info: JSON.stringify({ status_time: at }) })
        .where('id', '=', lost)
        .execute();
      await store.db.updateTable('abilities').set({ enabled: 0 }).where('channel_id', '=', lost).execute();
      await relay.relay.reload();
      for (let calls = 0; calls < 4; calls += 1) {
        expect((await call('lost')).status).toBe(503);
        count('lost', 'failed');
      }
      await relay.relay.core.refusals.flush();

      const sums = measuredCalls({ store, isLogged: () => true });
      const rows = () => store.db.selectFrom('logs').select('id').where('type', 'in', [2, 5]).execute();
      // Five models six times, and one answer; a stream is settled a moment after its caller left.
      await eventually(rows, (found) => found.length >= 6 * 5 + 1);
      const last = Math.max(...(await rows()).map(({ id }) => id));
      await eventually(
        async () => {
          await follow(store, sums);
          return await positionOf(store, 'measured');
        },
        (position) => position >= last,
      );
      await sumPeriods({ store }, refusedCalls());
      const measuring = createMeasuring({ store, settings: { current: { SiteTimeZone: 'UTC' } } });
      const measured = await measuring.modelsMeasured();
      const found = [...measured].map(
        ([model, { answered, failed }]) => [model, { answered, failed }] as const,
      );
      expect(new Map(found)).toEqual(counts);
      // Streams have a first token, whole answers have none.
      expect((await measuring.measuredOf('good', '24h')).figures).toMatchObject({ answered: 6, failed: 0 });

      await watchIncidents({ store });
      const [incident] = await readIncidents(store.db, { most: 5 });
      expect(incident).toMatchObject({ models: ['lost'], begun_at: at, ended_at: 0, refused: 4 });
      // None of the refused calls was charged.
      const charged = await store.db
        .selectFrom('logs')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('model_name', '=', 'lost')
        .executeTakeFirst();
      expect(charged?.count).toBe(1);
    });
  });
}
