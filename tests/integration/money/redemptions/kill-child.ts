// The process the kill test ends with SIGKILL: users redeem the codes of a batch as fast as possible, each code by two users
// at once. Prints "redeemed <code>" after each answer that credits. Arguments: data directory, database address or '', run.
import { writeSync } from 'node:fs';
import { ROOT_PASSWORD, startApplication, type Actor } from '#tests/support/application.ts';

const [dataDir = '', databaseUrl = '', run = ''] = process.argv.slice(2);
const app = await startApplication({
  place: databaseUrl === '' ? { dataDir } : { dataDir, databaseUrl },
  environment: { TRUSTED_PROXIES: '127.0.0.1' },
});
const root = await app.login('root', ROOT_PASSWORD);
const users = await Promise.all([app.actor(), app.actor(), app.actor(), app.actor()]);
let tries = 0;

async function redeemAll(codes: readonly string[], pair: readonly Actor[]): Promise<void> {
  for (const code of codes)
    await Promise.all(
      pair.map(async (as) => {
        tries += 1;
        // An address per try: the limit on guessing is not the subject here.
        const headers = { 'X-Forwarded-For': `198.51.${tries >> 8}.${tries & 255}` };
        const reply = await app.request('/api/user/topup', { as, body: { key: code }, headers });
        if (reply.body.success) writeSync(1, `redeemed ${code}\n`);
      }),
    );
}

for (;;) {
  const body = { name: run, quota: 300, count: 100 };
  const codes = await app.client(root).redemptions.create({ body });
  await Promise.all([
    redeemAll(codes.slice(0, 50), users.slice(0, 2)),
    redeemAll(codes.slice(50), users.slice(2)),
  ]);
}
