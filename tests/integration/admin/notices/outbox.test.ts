// The outbox of notices on both databases: divided once, sent at least once with one id, retried, given up, and not lost when a
// process is killed between the send and the mark.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Settings } from '#contract/settings.ts';
import { createEgress, type Egress } from '#server/platform/egress/index.ts';
import { createLog } from '#server/platform/log.ts';
import { openNotices, raiseNotice, sealConfig, type NoticeMailer } from '#server/platform/notices/index.ts';
import { openDeliveries } from '#server/platform/notices/deliveries.ts';
import { dispatchDue } from '#server/platform/notices/dispatch.ts';
import { RETRY_SECONDS } from '#server/platform/notices/outbox.ts';
import { removeOldNotices } from '#server/platform/notices/retention.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import {
  databaseLabels,
  applicationWriter,
  forEachDatabase,
  temporaryPlace,
} from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { KEYS, startNoticeServices, type NoticeServices } from '#tests/support/notice-services.ts';

const silent = createLog({ level: 'error', write: () => {} });
const never = new AbortController().signal;
const settings = {
  current: {
    SystemName: 'Gate',
    ServerAddress: 'https://gate.example/',
    QuotaPerUnit: 500_000,
    UserNoticePrivateAddressEnabled: true,
  } as Settings,
};

forEachDatabase((_label, open) => {
  describe('the outbox', () => {
    let store: Store;
    let services: NoticeServices;
    let egress: Egress;
    const letters: { recipient: string; subject: string; text: string }[] = [];
    let nextMail = 0;
    const mailer: NoticeMailer = {
      configured: true,
      async put(_db, letter) {
        letters.push(letter);
        return (nextMail += 1);
      },
      wake: () => {},
    };
    const clock = { now: 1_000_000 };
    const parts = () => ({ store, settings, mailer, egress, log: silent, now: () => clock.now });

    beforeAll(async () => {
      store = await open();
      services = startNoticeServices();
      egress = createEgress({ allowedPrivateAddresses: ['127.0.0.0/8'] });
    });
    afterAll(async () => {
      egress.close();
      await services.close();
    });

    let users = 0;
    /** A new user with one web hook; everything before is forgotten. */
    async function receiver(email = ''): Promise<number> {
      services.answerWith(null);
      services.received.length = 0;
      letters.length = 0;
      await store.db.deleteFrom('notice_deliveries').execute();
      await store.db.deleteFrom('notices').execute();
      return await newUser(email);
    }
    async function newUser(email = ''): Promise<number> {
      const { id } = await store.db
        .insertInto('users')
        .values({
          username: `user${(users += 1)}`,
          password_hash: '',
          aff_code: `a${users}`,
          created_at: 1,
          email,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      await addWay(id);
      return id;
    }
    async function addWay(userId: number): Promise<void> {
      const config = sealConfig(store, userId, 'webhook', services.configs['webhook'] ?? {});
      const events = JSON.stringify([
        'low_balance',
        'token_expiring',
        'channel_disabled',
        'withdrawal_requested',
      ]);
      await store.db
        .insertInto('notice_ways')
        .values({ user_id: userId, created_at: 1, kind: 'webhook', config, events, language: 'en' })
        .execute();
    }
    const raise = (userId: number, balance = 900) =>
      raiseNotice(store.db, { event: 'low_balance', userId, values: { balance } });
    const deliveries = () => store.db.selectFrom('notice_deliveries').selectAll().orderBy('id').execute();

    test('REL-1.18 a notice reaches each way of its user in the language of the way, and mail in both', async () => {
      const userId = await receiver('anna@example.com');
      await raise(userId);
      await openNotices(parts()).sendDue(never);
      expect(services.received.map(({ body }) => body)).toMatchObject([
        {
          event: 'low_balance',
          title: 'Gate: Your balance is running low',
          text: `Hello user${users}, your remaining balance is $0.001800. Please top up in time so that your calls keep working.\nTop up: https://gate.example/topup`,
          values: { balance: 900 },
        },
      ]);
      expect(letters).toMatchObject([
        {
          recipient: 'anna@example.com',
          subject: 'Gate：您的额度即将用尽 / Your balance is running low',
          text: [
            `user${users}，您好！您的剩余额度为 $0.001800，为了不影响您的使用，请及时充值。`,
            '充值链接：https://gate.example/topup',
            '',
            `Hello user${users}, your remaining balance is $0.001800. Please top up in time so that your calls keep working.`,
            'Top up: https://gate.example/topup',
          ].join('\n'),
        },
      ]);
      expect((await deliveries()).map(({ kind, status }) => [kind, status])).toEqual([
        ['webhook', 'sent'],
        ['mail', 'mailed'],
      ]);
    });

    test('of several nodes one divides a notice and one sends each delivery', async () => {
      const userId = await receiver('many@example.com');
      for (let count = 0; count < 10; count += 1) await raise(userId);
      const nodes = Array.from({ length: 4 }, () => openNotices(parts()));
      await Promise.all(nodes.map((node) => node.sendDue(never)));
      // A pass that lost every claim to another node ends before the other has sent.
      for (let wait = 0; wait < 200 && services.received.length < 10; wait += 1) await Bun.sleep(10);
      await Promise.all(nodes.map((node) => node.sendDue(never)));
      expect(services.received).toHaveLength(10);
      expect(new Set(services.received.map(({ body }) => body['id'])).size).toBe(10);
      expect(letters).toHaveLength(10);
    });

    test('a receiver that is away is tried again with growing waits and one id, then the delivery is given up', async () => {
      const userId = await receiver();
      await raise(userId);
      services.answerWith(() => new Response('later', { status: 503 }));
      await dispatchDue(parts(), never);
      const outbox = openDeliveries(parts());
      for (const [index, seconds] of RETRY_SECONDS.entries()) {
        await outbox.deliverDue();
        expect(await deliveries()).toMatchObject([
          { status: 'pending', tries: index + 1, error: 'status 503' },
        ]);
        clock.now += seconds - 1;
        await outbox.deliverDue();
        expect(await deliveries()).toMatchObject([{ tries: index + 1 }]);
        clock.now += 1;
      }
      await outbox.deliverDue();
      expect(await deliveries()).toMatchObject([{ status: 'dead', tries: RETRY_SECONDS.length + 1 }]);
      clock.now += 1_000_000;
      const before = services.requests;
      await outbox.deliverDue();
      expect(services.requests).toBe(before);
    });

    test('a service that asks to wait is left alone for as long; a refusal for good is not repeated', async () => {
      const userId = await receiver();
      await raise(userId);
      await dispatchDue(parts(), never);
      const outbox = openDeliveries(parts());
      services.answerWith(() => new Response('', { status: 429, headers: { 'Retry-After': '900' } }));
      await outbox.deliverDue();
      const [waiting] = await deliveries();
      expect(waiting).toMatchObject({ status: 'pending', next_try_at: clock.now + 900 });
      clock.now += 900;
      services.answerWith(() => new Response('', { status: 410 }));
      await outbox.deliverDue();
      expect(await deliveries()).toMatchObject([{ status: 'dead', tries: 2, error: 'status 410' }]);
    });

    test('a receiver that never answers does not delay a stop, and is tried again', async () => {
      const slow = await receiver();
      await raise(slow);
      await dispatchDue(parts(), never);
      const [{ id } = { id: 0 }] = await deliveries();
      const cut = new AbortController();
      services.answerWith(() => new Promise<Response>(() => {}));
      const outbox = openDeliveries(parts());
      const before = services.requests;
      const stuck = outbox.deliverDue(cut.signal);
      for (let wait = 0; wait < 400 && services.requests === before; wait += 1) await Bun.sleep(5);
      // The node stops: the try ends after the patience of the outbox, not after the time limit of the request.
      cut.abort();
      await stuck;
      const row = await store.db
        .selectFrom('notice_deliveries')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ status: 'pending', tries: 1 });
      expect(row.error).toMatch(/^no answer/);
    });

    test('a process that died between the send and the mark: another sends again, with the same id', async () => {
      const userId = await receiver();
      await raise(userId);
      await dispatchDue(parts(), never);
      const outbox = openDeliveries(parts());
      await outbox.deliverDue();
      const [first] = services.received;
      // As the rows were before the mark.
      const claimed = { status: 'sending', tries: 1, sent_at: 0, next_try_at: clock.now + 60 };
      await store.db.updateTable('notice_deliveries').set(claimed).execute();
      await outbox.deliverDue();
      expect(services.received).toHaveLength(1);
      clock.now += 60;
      await outbox.deliverDue();
      expect(services.received).toHaveLength(2);
      expect(services.received[1]?.body['id']).toBe(first?.body['id']);
      expect(await deliveries()).toMatchObject([{ status: 'sent', tries: 2 }]);
    });

    test('a deleted account, way or event of a newer version is neither sent nor an obstacle', async () => {
      const userId = await receiver('gone@example.com');
      await raise(userId);
      await dispatchDue(parts(), never);
      await store.db.deleteFrom('notice_ways').where('user_id', '=', userId).execute();
      const values = {
        created_at: 1,
        user_id: userId,
        event: 'of_a_newer_version',
        details: '{',
        once_key: null,
      };
      await store.db
        .insertInto('notices')
        .values({ ...values, dispatched_at: 0 })
        .execute();
      const left = await newUser();
      await store.db.updateTable('users').set({ deleted_at: 5 }).where('id', '=', left).execute();
      await raise(left);
      await openNotices(parts()).sendDue(never);
      expect(services.received).toEqual([]);
      const states = (await deliveries()).map(({ kind, status, error }) => [kind, status, error]);
      expect(states).toEqual([
        ['webhook', 'dead', 'this way was deleted or switched off'],
        ['mail', 'mailed', ''],
        ['mail', 'mailed', ''],
      ]);
      expect(letters.at(-1)).toMatchObject({ text: 'of_a_newer_version\n\nof_a_newer_version' });

      await store.db.updateTable('notices').set({ created_at: 1 }).execute();
      await store.db.updateTable('notice_deliveries').set({ created_at: 1 }).execute();
      await removeOldNotices(store);
      expect(await deliveries()).toEqual([]);
      expect(await store.db.selectFrom('notices').selectAll().execute()).toEqual([]);
      const kept = await store.db.selectFrom('notice_ways').select('user_id').execute();
      expect(kept.map(({ user_id }) => user_id)).not.toContain(left);
    });

    test('the operators get theirs, and without an own choice mail goes to the super admins', async () => {
      await receiver();
      await store.db
        .insertInto('users')
        .values([
          {
            username: 'boss',
            password_hash: '',
            aff_code: 'b1',
            created_at: 1,
            role: 100,
            email: 'boss@example.com',
          },
          {
            username: 'admin',
            password_hash: '',
            aff_code: 'b2',
            created_at: 1,
            role: 10,
            email: 'adm@example.com',
          },
        ])
        .execute();
      await addWay(0);
      await raiseNotice(store.db, {
        event: 'channel_disabled',
        values: { channel_id: 3, channel_name: 'east', reason: 'status 401' },
      });
      await openNotices(parts()).sendDue(never);
      expect(services.received.map(({ body }) => body)).toMatchObject([
        { event: 'channel_disabled', values: { channel_name: 'east', reason: 'status 401' } },
      ]);
      expect(letters.map(({ recipient }) => recipient)).toEqual(['boss@example.com']);
    });
  });
});

test.each(databaseLabels)(
  '%s: kill -9 after the receiver has accepted and before the row says so: the next process sends it again with the same id',
  async (label) => {
    const services = startNoticeServices();
    const place = await temporaryPlace(label);
    const { dataDir, databaseUrl } = place;
    const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
    const config = sealConfig(store, 0, 'webhook', services.configs['webhook'] ?? {});
    await store.db
      .insertInto('notice_ways')
      .values({ user_id: 0, created_at: 1, kind: 'webhook', config, events: '["job_failed"]' })
      .execute();
    const values = { job: 'mail', failures: 3, error: 'x' };
    await raiseNotice(store.db, { event: 'job_failed', values });
    await store.close();

    const environment = {
      INITIAL_ROOT_PASSWORD: 'root-password-of-tests',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    };
    const ids: (string | null)[] = [];
    const arrived = Promise.withResolvers<void>();
    services.answerWith(({ headers }) => {
      ids.push(headers.get('x-tollgate-delivery'));
      arrived.resolve();
      // The receiver has the message; the answer is lost with the process.
      return new Promise<Response>(() => {});
    });
    const killed = await startGateway({ dataDir, environment });
    await arrived.promise;
    await killed.kill9();
    services.answerWith(null);
    // On PostgreSQL the claim of the dead process runs out after a minute; the test does not wait for it.
    const between = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
    expect(await between.db.selectFrom('notice_deliveries').select(['status', 'tries']).execute()).toEqual([
      { status: 'sending', tries: 1 },
    ]);
    if (label === 'postgres')
      await between.db.updateTable('notice_deliveries').set({ next_try_at: 1 }).execute();
    await between.close();
    const next = await startGateway({ dataDir, environment });
    try {
      for (let wait = 0; wait < 400 && services.received.length === 0; wait += 1) await Bun.sleep(50);
      ids.push(...services.received.map(({ headers }) => headers.get('x-tollgate-delivery')));
      expect(ids).toHaveLength(2);
      expect(ids[0]).toMatch(/^notice-\d+-1-1$/);
      expect(ids[1]).toBe(ids[0] ?? '');
      expect(killed.output() + next.output()).not.toContain(KEYS.webhookSecret);
    } finally {
      await next.stop();
      await services.close();
      await place.remove();
    }
  },
  60_000,
);
