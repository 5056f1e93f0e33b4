// Outgoing mail through a real SMTP server: the queue on both databases, several nodes, a killed process, and the
// operator's view.
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Settings } from '#contract/settings.ts';
import { openMailQueue, type MailQueue } from '#server/admin/mail/index.ts';
import { RETRY_SECONDS } from '#server/platform/notices/outbox.ts';
import { connectionOptions, deliver } from '#server/admin/mail/transport.ts';
import { createLog } from '#server/platform/log.ts';
import type { Store } from '#server/platform/store/store.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { forEachDatabase } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { mailCertificate } from '#tests/support/mail-certificate.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';

const silent = createLog({ level: 'error', write: () => {} });

function mailSettings(server: MailServer): Settings {
  return {
    SMTPServer: '127.0.0.1',
    SMTPPort: server.port,
    SMTPAccount: server.settings.SMTPAccount,
    SMTPFrom: server.settings.SMTPFrom,
    SMTPToken: server.settings.SMTPToken,
    SMTPSSLEnabled: false,
    SystemName: '收费站 Gate',
    ServerAddress: 'https://gate.example',
  } as unknown as Settings;
}

const letter = (recipient: string, text = 'Hello') => ({ recipient, subject: 'A subject 你好', text });
const statusOf = (store: Store) =>
  store.db.selectFrom('mails').select(['status', 'tries', 'body', 'error']).orderBy('id').execute();

forEachDatabase((label, open) => {
  describe('the queue', () => {
    let server: MailServer;
    let store: Store;
    beforeAll(async () => {
      server = await startMailServer();
      store = await open();
    });
    afterAll(() => server.close());

    /** A queue with a test clock, that sends only when the test calls it. */
    async function scene(run: (store: Store, queue: MailQueue, clock: { now: number }) => Promise<void>) {
      const clock = { now: 1_000_000 };
      const settings = { current: mailSettings(server) };
      const queue = openMailQueue({ store, settings, log: silent, now: () => clock.now });
      try {
        await store.db.deleteFrom('mails').execute();
        // A new queue releases the claims of ended processes: that must finish before the test queues anything.
        await queue.deliverDue();
        await run(store, queue, clock);
      } finally {
        server.refuseWith(null);
      }
    }

    test('a mail has subject, text and HTML in the name of the site, and its stored text is deleted', async () => {
      await scene(async (store, queue) => {
        const text = 'First <b>line</b>\n\n    482913\n\nhttps://gate.example/x?a=1&b=2';
        await queue.put(store.db, { ...letter('ann@example.com', text), secret: true });
        expect((await statusOf(store))[0]?.body).not.toContain('482913');
        await queue.deliverDue();
        const mail = await server.mailTo('ann@example.com');
        expect(mail).toMatchObject({ subject: 'A subject 你好', text, from: 'mailer@tollgate.test' });
        expect(mail.html).toContain('First &lt;b&gt;line&lt;/b&gt;');
        expect(mail.html).toContain('href="https://gate.example/x?a=1&amp;b=2"');
        expect(mail.headers.get('from')).toContain('<mailer@tollgate.test>');
        expect(mail.headers.get('auto-submitted')).toBe('auto-generated');
        expect(mail.headers.get('message-id')).toEndWith('@gate.example>');
        expect(await statusOf(store)).toEqual([{ status: 'sent', tries: 1, body: '', error: '' }]);
      });
    });

    test('a mail to an unavailable server is retried with growing delays, then it is dead', async () => {
      await scene(async (store, queue, clock) => {
        server.refuseWith(451);
        await queue.put(store.db, letter('waiting@example.com'));
        for (const [index, seconds] of RETRY_SECONDS.entries()) {
          await queue.deliverDue();
          expect((await statusOf(store))[0]).toMatchObject({ status: 'pending', tries: index + 1 });
          clock.now += seconds - 1;
          expect(await queue.deliverDue()).toBe(0);
          expect((await statusOf(store))[0]?.tries).toBe(index + 1);
          clock.now += 1;
        }
        await queue.deliverDue();
        const [mail] = await statusOf(store);
        expect(mail).toMatchObject({ status: 'dead', tries: RETRY_SECONDS.length + 1 });
        expect(mail?.error).toContain('451');
      });
    });

    test('when the server is available again the mail is sent', async () => {
      await scene(async (store, queue, clock) => {
        server.refuseWith(421);
        await queue.put(store.db, letter('later@example.com'));
        await queue.deliverDue();
        server.refuseWith(null);
        clock.now += RETRY_SECONDS[0];
        expect(await queue.deliverDue()).toBe(1);
        await server.mailTo('later@example.com');
      });
    });

    test('a recipient the server refuses permanently is not retried', async () => {
      await scene(async (store, queue) => {
        server.refuseWith(550);
        await queue.put(store.db, letter('nobody@example.com'));
        await queue.deliverDue();
        expect((await statusOf(store))[0]).toMatchObject({ status: 'dead', tries: 1 });
      });
    });

    test('an expired code is not sent', async () => {
      await scene(async (store, queue, clock) => {
        await queue.put(store.db, { ...letter('late@example.com'), secret: true, expiresAt: clock.now + 60 });
        clock.now += 60;
        expect(await queue.deliverDue()).toBe(0);
        expect((await statusOf(store))[0]).toMatchObject({ status: 'expired', body: '' });
        expect(server.mails.some(({ to }) => to === 'late@example.com')).toBe(false);
      });
    });

    test('a mail exists exactly when its transaction commits', async () => {
      await scene(async (store, queue) => {
        const given = store.db.transaction().execute(async (transaction) => {
          await queue.put(transaction, letter('ghost@example.com'));
          throw new Error('the code was not kept');
        });
        expect((await failure(given)).message).toBe('the code was not kept');
        expect(await statusOf(store)).toEqual([]);
      });
    });

    test('mails claimed by a dead process are sent by the next', async () => {
      await scene(async (store, queue, clock) => {
        await queue.put(store.db, letter('claimed@example.com'));
        await store.db
          .updateTable('mails')
          .set({ status: 'sending', tries: 1, next_try_at: clock.now + 120 })
          .execute();
        expect(await queue.deliverDue()).toBe(0);
        clock.now += 120;
        expect(await queue.deliverDue()).toBe(1);
      });
    });
  });

  test(`${label}: of several queues on one database each mail is sent by one`, async () => {
    const server = await startMailServer();
    const store = await open();
    const settings = { current: mailSettings(server) };
    const queues = Array.from({ length: 3 }, () => openMailQueue({ store, settings, log: silent }));
    try {
      for (let index = 0; index < 20; index += 1)
        await queues[0]?.put(store.db, letter(`n${index}@example.com`));
      await Promise.all(queues.map((queue) => queue.deliverDue()));
      // A pass that lost every claim to another queue ends before the other has sent.
      for (let index = 0; index < 20; index += 1) await server.mailTo(`n${index}@example.com`);
      await Promise.all(queues.map((queue) => queue.deliverDue()));
      expect(server.mails.map(({ to }) => to).toSorted()).toEqual(
        Array.from({ length: 20 }, (_, index) => `n${index}@example.com`).toSorted(),
      );
    } finally {
      await server.close();
    }
  });
});

test('a mail server that never answers does not delay a stop, and the mail is sent after the next start', async () => {
  const silence = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const app = await startApplication({
    settings: { SMTPServer: '127.0.0.1', SMTPPort: String(silence.port), SMTPFrom: 'a@example.com' },
  });
  try {
    expect((await app.request('/api/verification?email=silent@example.com')).body.success).toBe(true);
    const statuses = () => app.store.db.selectFrom('mails').select('status').execute();
    for (let look = 0; look < 400 && (await statuses())[0]?.status !== 'sending'; look += 1)
      await Bun.sleep(5);
    expect(await statuses()).toEqual([{ status: 'sending' }]);
    const startedAt = performance.now();
    await app.close();
    expect(performance.now() - startedAt).toBeLessThan(9000);
  } finally {
    silence.stop(true);
  }
});

describe('the connection', () => {
  const base = {
    ...mailSettings({
      port: 587,
      settings: { SMTPAccount: 'a', SMTPFrom: 'a@b.c', SMTPToken: 's' },
    } as unknown as MailServer),
    SMTPServer: 'mail.example',
  };

  test('ACC-5.31 port 465 uses TLS from the first byte, with any value of the switch', () => {
    expect(connectionOptions({ ...base, SMTPPort: 465 })).toMatchObject({ secure: true });
    expect(connectionOptions({ ...base, SMTPSSLEnabled: true })).toMatchObject({ secure: true });
    expect(connectionOptions(base)).toMatchObject({ secure: false });
  });

  test('a password is not sent unencrypted', () => {
    expect(connectionOptions(base)).toMatchObject({ requireTLS: true });
    expect(connectionOptions({ ...base, SMTPServer: '127.0.0.1' })).toMatchObject({ requireTLS: false });
    expect(connectionOptions({ ...base, SMTPAccount: '' })).toMatchObject({ requireTLS: false });
  });

  test('TLS accepts a trusted certificate and refuses an untrusted one', async () => {
    const server = await startMailServer({ tls: mailCertificate });
    try {
      const settings = { ...mailSettings(server), SMTPSSLEnabled: true, SMTPServer: 'localhost' };
      const trusted = { certificateAuthority: mailCertificate.cert };
      await deliver(settings, letter('tls@example.com'), trusted);
      expect((await server.mailTo('tls@example.com')).subject).toBe('A subject 你好');
      expect((await failure(deliver(settings, letter('tls@example.com')))).message).toContain(
        'mailCertificate',
      );
    } finally {
      await server.close();
    }
  });
});

describe('the operator', () => {
  let app: TestApplication;
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
    app = await startApplication({ settings: server.settings });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  test('the test button sends to the super admin who presses it, or to the given address, in their language', async () => {
    const root = await app.actor({ role: ROLE.root, row: { email: 'boss@example.com' } });
    const client = app.client(root);
    expect(await client.mail.test({ body: undefined })).toEqual({ recipient: 'boss@example.com' });
    expect((await server.mailTo('boss@example.com')).subject).toBe('Tollgate: Test mail');
    const reply = await app.request('/api/mail/test', {
      as: root,
      body: { to: 'x@example.com' },
      language: 'zh',
    });
    expect(reply.body.success).toBe(true);
    expect((await server.mailTo('x@example.com')).subject).toBe('Tollgate: 测试邮件');
  });

  test('without an address or without a server the error names what is missing', async () => {
    const root = await app.actor({ role: ROLE.root });
    const ask = (body: object) => app.request('/api/mail/test', { as: root, body });
    expect((await ask({})).body.code).toBe('email_required');
    expect((await ask({ to: 'not an address' })).body.code).toBe('email_required');
    await app.settings.set('SMTPServer', '', 1);
    expect((await ask({ to: 'x@example.com' })).body.message).toBe('The administrator has not set up email');
    await app.settings.set('SMTPServer', '127.0.0.1', 1);
  });

  test('SSL on a plain port and a port without a server are answered with what to change (O60)', async () => {
    const root = await app.actor({ role: ROLE.root });
    const ask = async (language: 'zh' | 'en') => {
      const body = { to: 'x@example.com' };
      return (await app.request('/api/mail/test', { as: root, body, language })).body.message;
    };
    await app.settings.set('SMTPSSLEnabled', 'true', 1);
    const port = app.settings.current.SMTPPort;
    expect(await ask('en')).toBe(
      `The email could not be sent: port ${port} does not use SSL from the start: turn “Use SSL for SMTP” off, or use port 465`,
    );
    const chinese = await ask('zh');
    expect(chinese).toContain(`端口 ${port} 不是从一开始就使用 SSL`);
    expect(chinese).not.toContain('OPENSSL');
    await app.settings.set('SMTPSSLEnabled', 'false', 1);
    await app.settings.set('SMTPPort', '9', 1);
    expect(await ask('en')).toContain('no mail server listens on port 9 of 127.0.0.1');
    await app.settings.set('SMTPPort', String(port), 1);
  });

  test('the error for a refused password has the server’s text, and never the password', async () => {
    const root = await app.actor({ role: ROLE.root });
    await app.settings.set('SMTPToken', 'wrong-password-canary', 1);
    const reply = await app.request('/api/mail/test', { as: root, body: { to: 'x@example.com' } });
    expect(reply.body.code).toBe('mail_failed');
    expect(reply.body.message).toContain('Invalid login');
    const everything = [JSON.stringify(reply.body), ...app.logged].join('\n');
    expect(everything).not.toContain('wrong-password-canary');
    expect(everything).not.toContain(Buffer.from('wrong-password-canary').toString('base64'));
    await app.settings.set('SMTPToken', server.settings.SMTPToken ?? '', 1);
  });

  test('dead mails are counted with their reason and sent after another try', async () => {
    const root = await app.actor({ role: ROLE.root });
    const client = app.client(root);
    await app.store.db
      .insertInto('mails')
      .values({ created_at: 1_700_000_000, recipient: 'revived@example.com', subject: 's', body: 'b' })
      .execute();
    await app.store.db
      .updateTable('mails')
      .set({ status: 'dead', tries: 8, error: 'mailbox full', created_at: Math.floor(Date.now() / 1000) })
      .where('recipient', '=', 'revived@example.com')
      .execute();
    expect(await client.mail.queue()).toMatchObject({
      configured: true,
      dead: 1,
      last_error: 'mailbox full',
    });
    expect(await client.mail.retry()).toBe(1);
    await server.mailTo('revived@example.com');
  });

  test('ACC-9.11 the low-balance mail of billing is delivered, once in two hours', async () => {
    await app.settings.set('QuotaRemindThreshold', '1000', 1);
    const user = await app.actor({ quota: 2000, row: { email: 'poor@example.com' } });
    const charge = async (requestId: string) => {
      const price = {} as never;
      const log = { type: 2, user_id: user.id, username: user.username };
      await app.ledger.reserve({
        requestId,
        userId: user.id,
        tokenId: 0,
        amount: 700,
        limits: { tokens: 1 },
        snapshot: { price, log: () => log },
        expiresAt: Math.floor(Date.now() / 1000) + 600,
      });
      await app.ledger.settle(requestId, {
        charge: 700,
        cost: null,
        group: 'default',
        channelId: 0,
        modelName: 'm',
        promptTokens: 1,
        completionTokens: 1,
        useTimeMs: 1,
        firstTokenMs: 0,
        log,
      });
    };
    await charge('low-1');
    await charge('low-2');
    const mail = await server.mailTo('poor@example.com');
    expect(mail.subject).toBe('Tollgate：您的额度即将用尽 / Your balance is running low');
    expect(mail.text).toContain(user.username);
    const queued = await app.store.db
      .selectFrom('mails')
      .select('id')
      .where('recipient', '=', 'poor@example.com')
      .execute();
    expect(queued).toHaveLength(1);
  });
});

test('a mail that is queued when the process is killed is sent by the next one', async () => {
  const server = await startMailServer();
  const { port } = server;
  await server.close();
  // The port is closed: the mail cannot be sent before the kill.
  const gateway = await startGateway({ environment: { INITIAL_ROOT_PASSWORD: 'root-password-of-tests' } });
  const call = async (path: string, cookie: string, init: RequestInit = {}) => {
    const response = await fetch(gateway.url + path, {
      ...init,
      headers: {
        'Content-Type': 'application/json',
        'New-Api-User': '1',
        Cookie: cookie,
        'Accept-Language': 'en',
      },
    });
    return {
      cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie,
      body: await response.json(),
    };
  };
  const login = await call('/api/user/login', '', {
    method: 'POST',
    body: JSON.stringify({ username: 'root', password: 'root-password-of-tests' }),
  });
  for (const [key, value] of Object.entries({ ...server.settings, SMTPPort: String(port) })) {
    const saved = await call('/api/option/', login.cookie, {
      method: 'PUT',
      body: JSON.stringify({ key, value }),
    });
    expect(saved.body).toMatchObject({ success: true });
  }
  const asked = await call('/api/verification?email=survivor@example.com', '');
  expect(asked.body).toMatchObject({ success: true });
  await gateway.kill9();

  const back = await startMailServer({ port });
  // The first try failed before the kill; the test does not wait half a minute for the second.
  const database = new Database(`${gateway.dataDir}/tollgate.db`);
  expect(database.query('select count(*) as mails from mails').get()).toEqual({ mails: 1 });
  database.run('update mails set next_try_at = 0');
  database.close();
  const next = await startGateway({ dataDir: gateway.dataDir });
  try {
    const mail = await back.mailTo('survivor@example.com', { patienceMs: 15_000 });
    expect(mail.subject).toBe('Tollgate: your verification code');
  } finally {
    await next.stop();
    await back.close();
    gateway.remove();
  }
}, 60_000);
