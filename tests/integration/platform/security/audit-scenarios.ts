// One call for every endpoint that changes something, with the action its audit row has. `audit-transaction.test.ts` runs
// each of them with an audit table that refuses rows, and then again with one that accepts them.
import { stepAt, totpCode } from '#server/admin/security/totp.ts';
import { codeDigest } from '#server/admin/session/codes.ts';
import { USER_PASSWORD, type Actor } from '#tests/support/application.ts';
import { signedFields } from '#mock/logins/telegram.ts';
import { createPasskeyDevice } from '#tests/support/passkey-device.ts';
import { AGENT_SCENARIOS } from './audit-scenarios-agents.ts';
import { CHANNEL_SCENARIOS } from './audit-scenarios-channels.ts';
import { COST_SCENARIOS } from './audit-scenarios-costs.ts';
import { CLUSTER_SCENARIOS } from './audit-scenarios-cluster.ts';
import { SUPPLIER_SCENARIOS } from './audit-scenarios-suppliers.ts';
import { REDEMPTION_SCENARIOS } from './audit-scenarios-redemptions.ts';
import { NOTICE_SCENARIOS } from './audit-scenarios-notices.ts';
import { ORDER_SCENARIOS } from './audit-scenarios-orders.ts';
import { MEMBERSHIP_SCENARIOS } from './audit-scenarios-memberships.ts';
import { SIGN_ON_SCENARIOS } from './audit-scenarios-sign-on.ts';
import { ORGANIZATION_SCENARIOS } from './audit-scenarios-organization.ts';
import { PLAN_SCENARIOS } from './audit-scenarios-plans.ts';
import { PRICE_SCENARIOS } from './audit-scenarios-prices.ts';
import { RERATING_SCENARIOS } from './audit-scenarios-rerating.ts';
import {
  byRoot,
  byUser,
  cookieOf,
  nextNumber,
  now,
  ORIGIN,
  query,
  sending,
  unique,
  type Prepare,
  type Scenario,
  type Stage,
} from './audit-stage.ts';

const SHARED = {
  chat_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  chat: { title: 't', turns: [{ text: 'q', attachments: [], answers: [] }] },
};

const makeToken = async ({ app }: Stage, user: Actor): Promise<number> => {
  const [token] = await app.client(user).tokens.create({ body: { name: unique('t') } });
  return token?.id ?? 0;
};

async function withTwoFactor({ app }: Stage, user: Actor): Promise<{ code: string; recovery: string }> {
  const client = app.client(user);
  const { secret } = await client.security.twoFactorSetup();
  const code = await totpCode(secret, stepAt(now()));
  const { recovery_codes } = await client.security.twoFactorEnable({ body: { code } });
  const forgotten = app.store.db.updateTable('totp_secrets').set({ last_step: 0 });
  await forgotten.where('user_id', '=', user.id).execute();
  return { code, recovery: recovery_codes[0] ?? '' };
}

async function withPasskey({ app }: Stage, user: Actor) {
  const client = app.client(user);
  const device = await createPasskeyDevice(ORIGIN);
  const credential = await device.create(await client.security.passkeyRegisterBegin());
  const made = await app.request('/api/user/passkey/register/finish', { as: user, body: { credential } });
  return { device, id: (made.body.data as { id: number }).id };
}

/** As the mail with the code contains it. */
async function withCode({ app }: Stage, purpose: 'email' | 'reset', email: string): Promise<string> {
  const code = '123456';
  await app.store.db
    .insertInto('verification_codes')
    .values({
      purpose,
      subject: email,
      code_digest: codeDigest(app.store, purpose, email, code),
      created_at: now(),
      expires_at: now() + 600,
    })
    .execute();
  return code;
}

function wechatCode({ wechat }: Stage): string {
  const code = unique('c');
  wechat.tell(code, unique('wechat'));
  return code;
}

const manageUser =
  (change: object): Prepare =>
  async (stage) => {
    const { id } = await stage.app.createUser();
    return sending(stage, { path: '/api/user/', method: 'PUT', as: stage.root, body: { id, ...change } });
  };
export const SCENARIOS: Record<string, Scenario> = {
  'options.save': {
    action: 'option.save',
    prepare: byRoot(() => ({
      path: '/api/option/',
      method: 'PUT',
      body: { key: 'Notice', value: unique('n') },
    })),
  },
  'options.allowAddresses': {
    action: 'option.allow_address',
    prepare: byRoot(() => ({
      path: '/api/option/allowed_addresses',
      body: { addresses: ['10.1.2.3:11434'] },
    })),
  },
  'options.reset': {
    action: 'option.reset',
    prepare: byRoot(async ({ app }) => {
      await app.settings.set('About', unique('a'), 0);
      return { path: '/api/option/reset', body: { key: 'About' } };
    }),
  },
  'options.resetRatios': {
    action: 'option.reset',
    prepare: byRoot(async ({ app }) => {
      await app.settings.set('ModelRatio', JSON.stringify({ [unique('m')]: 2 }), 0);
      return { path: '/api/option/rest_model_ratio', body: {} };
    }),
  },
  'options.rollback': {
    action: 'option.rollback',
    prepare: byRoot(async ({ app, root }) => {
      await app.settings.set('Footer', unique('f'), 0);
      const { items } = await app.client(root).options.history({ query: { key: 'Footer' } });
      return { path: `/api/option/history/${items[0]?.id}/rollback`, body: {} };
    }),
  },
  'session.login': {
    action: 'session.start',
    prepare: async (stage) => {
      const { username } = await stage.app.createUser();
      return sending(stage, { path: '/api/user/login', body: { username, password: USER_PASSWORD } });
    },
  },
  'session.register': {
    action: 'user.register',
    prepare: async (stage) =>
      sending(stage, {
        path: '/api/user/register',
        body: { username: unique('r'), password: 'a-long-passphrase-1' },
      }),
  },
  'signIn.loginSecondStep': {
    action: 'session.start',
    prepare: async (stage) => {
      const user = await stage.app.actor();
      const { code } = await withTwoFactor(stage, user);
      const body = { username: user.username, password: USER_PASSWORD };
      const first = await stage.app.request('/api/user/login', { body });
      return sending(stage, {
        path: '/api/user/login/2fa',
        body: { code },
        headers: { Cookie: cookieOf(first) },
      });
    },
  },
  'signIn.passkeyLoginFinish': {
    action: 'session.start',
    prepare: async (stage) => {
      const { device } = await withPasskey(stage, await stage.app.actor());
      const begun = await stage.app.request('/api/user/passkey/login/begin', { body: {} });
      const credential = await device.get(begun.body.data as Record<string, unknown>);
      const headers = { Cookie: cookieOf(begun) };
      return sending(stage, { path: '/api/user/passkey/login/finish', body: { credential }, headers });
    },
  },
  'emails.verification': {
    action: 'email.code',
    prepare: async (stage) =>
      sending(stage, { path: `/api/verification?${query({ email: `${unique('v')}@example.com` })}` }),
  },
  'emails.resetMail': {
    action: 'password.reset_mail',
    prepare: async (stage) => {
      const email = `${unique('p')}@example.com`;
      await stage.app.createUser({ row: { email } });
      return sending(stage, { path: `/api/reset_password?${query({ email })}` });
    },
  },
  'emails.reset': {
    action: 'password.reset',
    prepare: async (stage) => {
      const email = `${unique('w')}@example.com`;
      await stage.app.createUser({ row: { email } });
      const token = await withCode(stage, 'reset', email);
      return sending(stage, { path: '/api/user/reset', body: { email, token } });
    },
  },
  'emails.bindEmail': {
    action: 'user.email',
    prepare: byUser(async (stage) => {
      const email = `${unique('b')}@example.com`;
      const code = await withCode(stage, 'email', email);
      return { path: `/api/oauth/email/bind?${query({ email, code })}` };
    }),
  },
  'outsideLogins.wechatLogin': {
    action: 'user.register',
    prepare: async (stage) =>
      sending(stage, { path: `/api/oauth/wechat?${query({ code: wechatCode(stage) })}` }),
  },
  'outsideLogins.wechatBind': {
    action: 'user.bind',
    prepare: byUser((stage) => ({ path: `/api/oauth/wechat/bind?${query({ code: wechatCode(stage) })}` })),
  },
  'outsideLogins.telegramLogin': {
    action: 'session.start',
    prepare: async (stage) => {
      const id = 1_000_000 + nextNumber();
      await stage.app.createUser({ row: { telegram_id: String(id) } });
      const fields = signedFields({ id, first_name: 'T' });
      return sending(stage, { path: `/api/oauth/telegram/login?${query(fields)}` });
    },
  },
  'outsideLogins.telegramBind': {
    action: 'user.bind',
    prepare: byUser(async ({ app }, as) => {
      const begun = await app.request('/api/oauth/state?provider=telegram', { as });
      const fields = signedFields({ id: 2_000_000 + nextNumber(), first_name: 'T' });
      return { path: '/api/oauth/telegram/bind', body: { ...fields, state: begun.body.data } };
    }),
  },
  'outsideLogins.unbind': {
    action: 'user.unbind',
    prepare: byUser(async ({ app }, { id }) => {
      const change = app.store.db.updateTable('users').set({ github_id: unique('g') });
      await change.where('id', '=', id).execute();
      return { path: '/api/oauth/github/bind', method: 'DELETE', body: {} };
    }),
  },
  'security.confirm': {
    action: 'session.confirm',
    prepare: byUser(async ({ app }, { id }) => {
      await app.store.db.updateTable('sessions').set({ verified_at: 1 }).where('user_id', '=', id).execute();
      return { path: '/api/user/security/confirm', body: { password: USER_PASSWORD } };
    }),
  },
  'security.confirm by recovery code': {
    action: 'two_factor.recovery_used',
    prepare: byUser(async (stage, user) => {
      const { recovery } = await withTwoFactor(stage, user);
      return { path: '/api/user/security/confirm', body: { code: recovery } };
    }),
  },
  'security.confirmPasskeyFinish': {
    action: 'session.confirm',
    prepare: byUser(async (stage, user) => {
      const { device } = await withPasskey(stage, user);
      await stage.app.store.db
        .updateTable('sessions')
        .set({ verified_at: 1 })
        .where('user_id', '=', user.id)
        .execute();
      const path = '/api/user/security/confirm/passkey';
      const begun = await stage.app.request(`${path}/begin`, { as: user, body: {} });
      const credential = await device.get(begun.body.data as Record<string, unknown>);
      return { path: `${path}/finish`, body: { credential } };
    }),
  },
  'security.twoFactorSetup': {
    action: 'two_factor.setup',
    prepare: byUser(() => ({ path: '/api/user/2fa/setup', body: {} })),
  },
  'security.twoFactorEnable': {
    action: 'two_factor.enable',
    prepare: byUser(async ({ app }, user) => {
      const { secret } = await app.client(user).security.twoFactorSetup();
      return { path: '/api/user/2fa/enable', body: { code: await totpCode(secret, stepAt(now())) } };
    }),
  },
  'security.twoFactorDisable': {
    action: 'two_factor.disable',
    prepare: byUser(async (stage, user) => {
      const { code } = await withTwoFactor(stage, user);
      return { path: '/api/user/2fa/disable', body: { code } };
    }),
  },
  'security.recoveryCodes': {
    action: 'two_factor.recovery_codes',
    prepare: byUser(async (stage, user) => {
      const { code } = await withTwoFactor(stage, user);
      return { path: '/api/user/2fa/backup_codes', body: { code } };
    }),
  },
  'security.passkeyRegisterFinish': {
    action: 'passkey.add',
    prepare: byUser(async ({ app }, user) => {
      const device = await createPasskeyDevice(ORIGIN);
      const credential = await device.create(await app.client(user).security.passkeyRegisterBegin());
      return { path: '/api/user/passkey/register/finish', body: { credential } };
    }),
  },
  'security.passkeyRename': {
    action: 'passkey.rename',
    prepare: byUser(async (stage, user) => {
      const { id } = await withPasskey(stage, user);
      return { path: `/api/user/passkey/${id}`, method: 'PUT', body: { name: 'Desk' } };
    }),
  },
  'security.passkeyRemove': {
    action: 'passkey.remove',
    prepare: byUser(async (stage, user) => {
      const { id } = await withPasskey(stage, user);
      return { path: `/api/user/passkey/${id}`, method: 'DELETE', body: {} };
    }),
  },
  'security.endSession': {
    action: 'session.end',
    prepare: byUser(async ({ app }, user) => {
      await app.login(user.username);
      const sessions = await app.client(user).security.sessions();
      const other = sessions.find(({ current }) => !current);
      return { path: `/api/user/sessions/${other?.id}`, method: 'DELETE', body: {} };
    }),
  },
  'security.endOtherSessions': {
    action: 'session.end_others',
    prepare: byUser(async ({ app }, user) => {
      await app.login(user.username);
      return { path: '/api/user/sessions', method: 'DELETE', body: {} };
    }),
  },
  'self.accessToken': {
    action: 'user.access_token',
    prepare: byUser(() => ({ path: '/api/user/token' })),
  },
  'self.transferInvite': {
    action: 'user.aff_transfer',
    prepare: byUser(async ({ app }, { id }) => {
      await app.store.db.transaction().execute((transaction) =>
        app.ledger.transferWithin(transaction, {
          idem: unique('aff'),
          userId: id,
          amount: 1_000_000,
          from: 'world:signup',
          to: 'aff',
          kind: 'inviter',
          reference: '',
        }),
      );
      return { path: '/api/user/aff_transfer', body: { quota: 500_000 } };
    }),
  },
  'self.remove': {
    action: 'user.leave',
    prepare: byUser(() => ({ path: '/api/user/self', method: 'DELETE', body: {} })),
  },
  'mail.test': {
    action: 'mail.test',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/mail/test', body: { to: 'op@example.com' } })),
  },
  'mail.retry': {
    action: 'mail.retry',
    prepare: byRoot(async ({ app }) => {
      await app.store.db
        .insertInto('mails')
        .values({ created_at: now(), recipient: 'x@example.com', subject: 's', body: 'b', status: 'dead' })
        .execute();
      return { path: '/api/mail/retry', body: {} };
    }),
  },
  'users.changeSelf': {
    action: 'user.password',
    prepare: byUser(() => ({
      path: '/api/user/self',
      method: 'PUT',
      body: {
        display_name: unique('d'),
        password: 'another-long-passphrase-2',
        original_password: USER_PASSWORD,
      },
    })),
  },
  'userManagement.create': {
    action: 'user.create',
    prepare: byRoot(() => ({
      path: '/api/user/',
      body: { username: unique('n'), password: 'a-long-passphrase-1', display_name: 'N' },
    })),
  },
  'userManagement.change': {
    action: 'user.quota',
    prepare: manageUser({ display_name: 'Changed', quota_change: 1000, quota_reason: 'gift' }),
  },
  'userManagement.manage': {
    action: 'user.disable',
    prepare: byRoot(async ({ app }) => {
      const { id } = await app.createUser();
      return { path: '/api/user/manage', body: { id, action: 'disable' } };
    }),
  },
  'userManagement.resetTwoFactor': {
    action: 'user.reset_two_factor',
    prepare: byRoot(async (stage) => {
      const user = await stage.app.actor();
      await withTwoFactor(stage, user);
      return { path: `/api/user/${user.id}/reset_two_factor`, body: {} };
    }),
  },
  'userManagement.lift': {
    action: 'user.lift',
    prepare: byRoot(async ({ app }) => {
      const { id } = await app.createUser({ row: { status: 3, suspended_reason: 'books' } });
      return { path: `/api/user/${id}/lift`, body: { reason: 'checked' } };
    }),
  },
  'tokens.create': {
    action: 'token.create',
    prepare: byUser(() => ({ path: '/api/token/', body: { name: unique('t') } })),
  },
  'tokens.change': {
    action: 'token.change',
    prepare: byUser(async (stage, user) => {
      const id = await makeToken(stage, user);
      return { path: '/api/token/', method: 'PUT', body: { id, name: unique('t') } };
    }),
  },
  'tokens.batch': {
    action: 'token.disable',
    prepare: byUser(async (stage, user) => ({
      path: '/api/token/batch',
      body: { ids: [await makeToken(stage, user)], action: 'disable' },
    })),
  },
  'tokens.find': {
    action: 'token.find_key',
    prepare: byRoot(() => ({ path: '/api/token/find', body: { key: 'sk-abcd…wxyz' } })),
  },
  'tokens.disable': {
    action: 'token.disable_leaked',
    prepare: byRoot(async (stage) => {
      const id = await makeToken(stage, await stage.app.actor());
      return { path: `/api/token/${id}/disable`, body: {} };
    }),
  },
  'tokens.report': {
    action: 'token.disable_leaked',
    prepare: byRoot(async ({ app }) => {
      const [token] = await app.client(await app.actor()).tokens.create({ body: { name: unique('t') } });
      return { path: '/api/token/report', body: { keys: [token?.key] } };
    }),
  },
  'tokens.remove': {
    action: 'token.delete',
    prepare: byUser(async (stage, user) => ({
      path: `/api/token/${await makeToken(stage, user)}/`,
      method: 'DELETE',
      body: {},
    })),
  },
  'tokens.restore': {
    action: 'token.restore',
    prepare: byUser(async (stage, user) => {
      const id = await makeToken(stage, user);
      await stage.app.client(user).tokens.remove({ params: { id } });
      return { path: `/api/token/${id}/restore`, body: {} };
    }),
  },
  'chats.share': {
    action: 'chat_share.create',
    prepare: byUser(() => Promise.resolve({ path: '/api/playground/shares', body: SHARED })),
  },
  'chats.revoke': {
    action: 'chat_share.revoke',
    prepare: byUser(async ({ app }, user) => {
      const { id } = await app.client(user).chats.share({ body: SHARED });
      return { method: 'DELETE', path: `/api/playground/shares/${id}` };
    }),
  },
  ...REDEMPTION_SCENARIOS,
  ...CLUSTER_SCENARIOS,
  ...SUPPLIER_SCENARIOS,
  ...COST_SCENARIOS,
  ...ORDER_SCENARIOS,
  ...AGENT_SCENARIOS,
  ...PLAN_SCENARIOS,
  ...PRICE_SCENARIOS,
  ...ORGANIZATION_SCENARIOS,
  ...MEMBERSHIP_SCENARIOS,
  ...SIGN_ON_SCENARIOS,
  ...RERATING_SCENARIOS,
  ...NOTICE_SCENARIOS,
  'logs.cleanup': {
    action: 'log.cleanup',
    prepare: byRoot(async ({ app }) => {
      await app.store.db.insertInto('logs').values({ created_at: 5, type: 4 }).execute();
      return { path: '/api/log/?target_timestamp=10', method: 'DELETE', body: {} };
    }),
  },
  ...CHANNEL_SCENARIOS,
  'jobs.run': {
    action: 'job.run',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/jobs/usage-rollup/run', body: {} })),
  },
  'audit.export': {
    action: 'audit.export',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/audit/export?action=none' })),
  },
  'statements.ofUserFile': {
    action: 'statement.export',
    isEvent: true,
    prepare: byRoot(async ({ app }) => ({
      path: `/api/user/${(await app.createUser()).id}/statement/file?month=2026-01`,
    })),
  },
  'answerCache.purge': {
    action: 'answer_cache.purge',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/answer-cache/purge', body: {} })),
  },
  'answerCache.purgeSelf': {
    action: 'answer_cache.purge',
    isEvent: true,
    prepare: byUser(async () => ({ path: '/api/answer-cache/self/purge', body: {} })),
  },
  'logs.export': {
    action: 'log.export',
    isEvent: true,
    prepare: byRoot(() => ({ path: '/api/log/export' })),
  },
};

/** Declared as changing something, but without an audit row. */
export const NOT_AUDITED: Record<string, string> = {
  'signIn.passkeyLoginBegin': 'stores a challenge in the browser’s flow',
  'security.confirmPasskeyBegin': 'stores a challenge in the browser’s flow',
  'security.passkeyRegisterBegin': 'stores a challenge in the browser’s flow',
  'outsideLogins.state': 'stores a state in the browser’s flow',
  'signOn.begin': 'stores a state in the browser’s flow',
  'outsideLogins.github': 'creates and binds by the code of wechatLogin and wechatBind',
  'outsideLogins.linuxdo': 'creates and binds by the code of wechatLogin and wechatBind',
  'outsideLogins.oidc': 'creates and binds by the code of wechatLogin and wechatBind',
  'orders.amount': 'only reads',
  'invitations.readByToken': 'only reads',
  'checkIn.claim': 'the ledger row and the log row are its record',
  'orders.pay': 'the order is its own record, with its events',
  'plans.order': 'the order is its own record, with its events',
  'channels.impact': 'only reads',
  'virtualModels.simulate': 'only reads',
  'chats.save': 'a private note of its owner, written after every answer',
  'chats.remove': 'a private note of its owner',
  'attention.snooze': 'hides an item from its reader alone, until the item changes',
  'priceBook.importAddress': 'writes by the code of importList',
  'channelUpstream.testDraft': 'asks an upstream, stores nothing',
  'channelUpstream.fetchDraftModels': 'asks an upstream, stores nothing',
};
