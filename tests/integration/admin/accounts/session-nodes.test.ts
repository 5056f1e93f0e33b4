// Two nodes on one PostgreSQL, and a node under a flood of logins.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { faultSeen } from '#tests/support/fault-report.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import {
  ROOT_PASSWORD,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { useRealPasswordCost } from '#tests/support/cheap-passwords.ts';
import { startPatience } from '#tests/support/machine.ts';

const PATIENCE_MS = 5000;

useRealPasswordCost();

describe('two nodes', () => {
  let place: TemporaryPlace;
  let here: TestApplication;
  let there: TestApplication;

  beforeAll(async () => {
    place = await temporaryPlace('postgres');
    const { dataDir, databaseUrl } = place;
    const shared = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    here = await startApplication({ place: shared });
    there = await startApplication({ place: shared });
  });
  afterAll(async () => {
    await here.close();
    await there.close();
    await place.remove();
  });

  const statusThere = async (as: Actor) => (await there.request('/api/user/self', { as })).status;

  async function untilThere(as: Actor, status: number): Promise<number> {
    const startedAt = performance.now();
    const isOver = startPatience(PATIENCE_MS);
    while ((await statusThere(as)) !== status && !isOver()) await Bun.sleep(20);
    expect(await statusThere(as)).toBe(status);
    return performance.now() - startedAt;
  }

  test('the second start finds the first one’s super admin', async () => {
    expect(here.firstStart).not.toBeNull();
    expect(there.firstStart).toBeNull();
    expect((await there.login('root', ROOT_PASSWORD)).id).toBe(1);
  });

  test('a session made on one node is valid on the other, and its end applies there within seconds', async () => {
    const user = await here.actor();
    expect(await statusThere(user)).toBe(200);
    await here.request('/api/user/logout', { as: user });
    expect(await untilThere(user, 401)).toBeLessThan(PATIENCE_MS);
  });

  test('a password change on one node ends the sessions cached on the other', async () => {
    const user = await here.actor();
    const elsewhere = await there.login(user.username);
    expect(await statusThere(elsewhere)).toBe(200);
    const changed = await here.request('/api/user/self', {
      method: 'PUT',
      as: user,
      body: { original_password: 'user-password-of-tests', password: 'another-good-one' },
    });
    expect(changed.body.success).toBe(true);
    await untilThere(elsewhere, 401);
  });

  test('a setting saved on one node applies on the other', async () => {
    await here.settings.set('SystemName', 'Two Nodes', 1);
    const isOver = startPatience(PATIENCE_MS);
    while (there.settings.current.SystemName !== 'Two Nodes' && !isOver()) await Bun.sleep(20);
    expect(there.settings.current.SystemName).toBe('Two Nodes');
  });
});

describe('a flood of logins', () => {
  let app: TestApplication;
  beforeAll(async () => {
    app = await startApplication({ environment: { TRUSTED_PROXIES: '127.0.0.1' } });
  });
  afterAll(() => app.close());

  test('A2 logins beyond the hasher’s queue are refused, and other callers are served (plan A2)', async () => {
    const logins = Array.from({ length: 200 }, (_, index) =>
      app.request('/api/user/login', {
        body: { username: `flood${index}`, password: 'whatever-it-is' },
        headers: { 'X-Forwarded-For': `203.0.${index >> 8}.${index & 255}` },
      }),
    );
    // Measured while passwords are still being hashed; the speed of that depends on the load of the machine.
    let isOver = false;
    const flood = Promise.all(logins).finally(() => {
      isOver = true;
    });
    expect((await app.request('/api/status')).status).toBe(200);
    expect(isOver).toBe(false);
    const replies = await flood;
    const turnedAway = replies.filter((reply) => reply.status === 503);
    expect(turnedAway.length).toBeGreaterThan(100);
    expect(turnedAway[0]?.body.code).toBe('server_busy');
    expect(turnedAway[0]?.headers.get('retry-after')).toBe('1');
    expect(replies.filter((reply) => reply.body.code === 'wrong_credentials').length).toBeGreaterThan(30);
    faultSeen('A2', `200 logins at once: ${turnedAway.length} refused at once with Retry-After`);
  }, 60_000);
});
