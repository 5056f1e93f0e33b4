// A site that is paid again and again until it is killed. Prints each genuine notice before it is sent, and each order whose
// notice was answered.
import { writeSync } from 'node:fs';
import { startApplication } from '#tests/support/application.ts';
import { startEpayServer } from '#mock/payments/epay.ts';

const [dataDir = '', databaseUrl = '', run = ''] = process.argv.slice(2);
const epay = startEpayServer();
const app = await startApplication({
  place: { dataDir, ...(databaseUrl === '' ? {} : { databaseUrl }) },
  nodeId: run,
});
const settings = { ServerAddress: app.url, PayAddress: epay.url, EpayId: epay.pid, EpayKey: epay.key };
for (const [key, text] of Object.entries(settings)) await app.settings.set(key, text, 0);
// An agent earns from every payment, in the same transaction.
const agent = await app.createUser({ username: `agent-of-${run}` });
await app.store.db
  .insertInto('agents')
  .values({ user_id: agent.id, rate: 1000, created_at: 1, updated_at: 1 })
  .execute();
const user = await app.actor({ username: run, row: { inviter_id: agent.id } });

async function payOnce(): Promise<void> {
  const body = { amount: 1, payment_method: 'zfb' };
  const reply = await app.request('/api/user/pay', { as: user, body });
  const fields = reply.body.data as Record<string, string>;
  await fetch(String(reply.body['url']), { method: 'POST', body: new URLSearchParams(fields) });
  const tradeNo = String(reply.body['trade_no']);
  const notice = epay.notice(tradeNo).toString();
  writeSync(1, `paid ${notice}\n`);
  const answer = await fetch(`${app.url}/api/user/epay/notify?${notice}`);
  if ((await answer.text()) === 'success') writeSync(1, `credited ${tradeNo}\n`);
}

await Promise.all(
  Array.from({ length: 6 }, async () => {
    for (;;) await payOnce();
  }),
);
