// A commit that the synchronous standby did not confirm is answered by PostgreSQL as success with a warning. A payment must
// not count as credited then: the provider gets no "success" and sends its notice again.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { startPostgres, type PostgresServer } from '#tests/support/postgres.ts';
import { balanceOf, breaches, openShop, order, orderRow, type Shop } from './support.ts';

setDefaultTimeout(60_000);

let server: PostgresServer;
let console: Client;
let shop: Shop;
beforeAll(async () => {
  server = await startPostgres();
  console = new Client({ connectionString: server.url });
  await console.connect();
  shop = await openShop('postgres', {}, { databaseUrl: server.url });
});
afterAll(async () => {
  await shop.close();
  await console.end();
  await server.stop();
});

/** Commits wait for a standby that is not there, or for none. */
async function needStandby(isNeeded: boolean): Promise<void> {
  await console.query(`alter system set synchronous_standby_names = '${isNeeded ? 'absent' : ''}'`);
  await console.query('select pg_reload_conf()');
}

/**
 * Does what the time limit of statements does after ten seconds, until the work has its answer: jobs of the application
 * commit beside it, and theirs may be the first to wait.
 */
async function withCancelledCommits<Answer>(work: Promise<Answer>): Promise<Answer> {
  const state = { isOver: false };
  const over = () => {
    state.isOver = true;
  };
  work.then(over, over);
  while (!state.isOver) {
    await console.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where wait_event = 'SyncRep' and application_name = 'tollgate'`,
    );
    await Bun.sleep(20);
  }
  return await work;
}

test('the provider is told success only when the standby has the credit, and the balance grows once', async () => {
  const user = await shop.app.actor();
  const { tradeNo } = await order(shop, user);
  await needStandby(true);
  expect(await withCancelledCommits(shop.epay.notify(tradeNo))).toBe('fail');
  // The primary has the credit. The repetition changes nothing, and is not confirmed either.
  expect(await orderRow(shop, tradeNo)).toMatchObject({ status: 'paid' });
  expect(await withCancelledCommits(shop.epay.notify(tradeNo))).toBe('fail');
  await needStandby(false);
  expect(await shop.epay.notify(tradeNo)).toBe('success');
  expect(await balanceOf(shop, user)).toBe(5_000_000);
  expect(await breaches(shop)).toEqual([]);
  expect(shop.app.logged.join('\n')).toContain('not confirmed by the standby');
});

test('a refund whose entry the standby does not have is not sent to the provider', async () => {
  const user = await shop.app.actor();
  const admin = await shop.app.actor({ role: 10 });
  const { tradeNo } = await order(shop, user);
  await shop.epay.notify(tradeNo);
  const { id } = await orderRow(shop, tradeNo);
  await needStandby(true);
  const refund = shop.app.request(`/api/order/${id}/refund`, {
    as: admin,
    body: { reason: 'asked', amount_minor: 7300, at_provider: true, request_id: 'standby-refund' },
  });
  expect((await withCancelledCommits(refund)).body.code).toBe('database_unavailable');
  await needStandby(false);
  expect(shop.epay.orders.get(tradeNo)?.refunded).toBe(0);
  const { refunds } = await shop.app.client(admin).orders.read({ params: { id } });
  expect(refunds).toMatchObject([{ status: 'pending' }]);
});
