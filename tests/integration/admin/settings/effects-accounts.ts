// Effects of the account options: who may sign in and register, with which method, and which mails and requests are
// sent.
import { BOT_TOKEN, signedFields } from '#mock/logins/telegram.ts';
import {
  Browser,
  throughGitHub,
  throughLinuxDo,
  throughOidc,
} from '#tests/integration/admin/outside-logins/support.ts';
import { HUMAN_SECRET, status, type Effects, type Stage, type Texts } from './effects-stage.ts';

const codeOf = async (reply: Promise<{ body: { success: boolean; code?: string } }>) => {
  const { success, code } = (await reply).body;
  return success ? 'done' : code;
};

const login = ({ app, fresh }: Stage, query = '') =>
  codeOf(
    app.request(`/api/user/login${query}`, {
      body: { username: fresh('nobody'), password: 'wrong-password' },
    }),
  );
const register = (stage: Stage, body?: Record<string, unknown>) => codeOf(stage.register(body));
const sendCode = (address: string) => (stage: Stage) =>
  codeOf(
    stage.app.request(
      `/api/verification?email=${encodeURIComponent(address.replace('#', stage.fresh('u')))}`,
    ),
  );

const quotaOf = async ({ app }: Stage, username: string) =>
  (await app.store.db.selectFrom('users').select('quota').where('username', '=', username).executeTakeFirst())
    ?.quota;

async function invite(stage: Stage) {
  const inviter = await stage.app.createUser();
  const rows = stage.app.store.db
    .selectFrom('users')
    .select(['aff_code', 'aff_quota'])
    .where('id', '=', inviter.id);
  const { aff_code } = await rows.executeTakeFirstOrThrow();
  const { username } = await stage.register({ aff_code });
  return {
    invitee: await quotaOf(stage, username),
    inviter: (await rows.executeTakeFirstOrThrow()).aff_quota,
  };
}

/** The minutes for which the newest code of that purpose is valid. */
async function validity({ app }: Stage): Promise<number> {
  const row = await app.store.db
    .selectFrom('verification_codes')
    .select(['created_at', 'expires_at'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return Math.round((row.expires_at - row.created_at) / 60);
}

async function codeValidity(stage: Stage): Promise<number> {
  await sendCode('#@gmail.com')(stage);
  return await validity(stage);
}

async function resetValidity(stage: Stage): Promise<number> {
  const email = `${stage.fresh('reset')}@gmail.com`;
  await stage.app.createUser({ row: { email } });
  await stage.app.request(`/api/reset_password?email=${email}`);
  await stage.mail.mailTo(email);
  return await validity(stage);
}

async function testMail({ app, root, fresh, mail }: Stage): Promise<string> {
  const to = `${fresh('mail')}@example.org`;
  const reply = await app.request('/api/mail/test', { as: root, body: { to } });
  if (!reply.body.success) return 'refused';
  return (await mail.mailTo(to)).from;
}

const mailTexts = ({ mail }: Stage): Texts => mail.settings;
const mailWithout = (key: keyof Texts) => (stage: Stage) => ({ ...mailTexts(stage), [key]: undefined });
const withMail = (key: keyof Texts, wrong: string) => ({
  given: (stage: Stage): Texts => ({
    ...mailTexts(stage),
    ...(key in mailTexts(stage) ? { [key]: wrong } : {}),
  }),
  text: (stage: Stage) => mailTexts(stage)[key] ?? '',
  observe: testMail,
  before: 'refused',
});

const github = (stage: Stage) => codeOf(throughGitHub(stage, new Browser(stage.app)));
const githubTexts = ({ github }: Stage): Texts => ({
  GitHubAddress: github.url,
  GitHubClientId: github.clientId,
  GitHubClientSecret: github.clientSecret,
  GitHubOAuthEnabled: 'true',
});
const linuxdo = (stage: Stage) => codeOf(throughLinuxDo(stage, new Browser(stage.app)));
const linuxdoTexts = ({ linuxdo }: Stage): Texts => ({
  LinuxDOAddress: linuxdo.url,
  LinuxDOClientId: linuxdo.clientId,
  LinuxDOClientSecret: linuxdo.clientSecret,
  LinuxDOOAuthEnabled: 'true',
});
const oidc = (stage: Stage) => codeOf(throughOidc(stage, new Browser(stage.app)));
const oidcTexts = ({ oidc }: Stage): Texts => ({
  OIDCIssuer: oidc.url,
  OIDCClientId: oidc.clientId,
  OIDCClientSecret: oidc.clientSecret,
  OIDCEnabled: 'true',
});
const wechatTexts = ({ wechat }: Stage): Texts => ({
  WeChatServerAddress: wechat.url,
  WeChatServerToken: wechat.token,
  WeChatAuthEnabled: 'true',
});
function wechat(stage: Stage) {
  const code = stage.fresh('code');
  stage.wechat.tell(code, stage.fresh('wechat-id'));
  return codeOf(new Browser(stage.app).get(`/api/oauth/wechat?code=${code}`));
}
const telegramTexts = (): Texts => ({
  TelegramBotToken: BOT_TOKEN,
  TelegramBotName: 'house_bot',
  TelegramOAuthEnabled: 'true',
});
const telegram = (stage: Stage) => {
  const fields = new URLSearchParams(signedFields({ id: 424_242, first_name: 'T' }));
  return codeOf(new Browser(stage.app).get(`/api/oauth/telegram/login?${fields.toString()}`));
};
const authorizeUrl = (provider: string) => async (stage: Stage) =>
  new URL((await new Browser(stage.app).begin(provider)).authorizeUrl);

const without =
  (texts: (stage: Stage) => Texts, ...keys: (keyof Texts)[]) =>
  (stage: Stage): Texts =>
    Object.fromEntries(Object.entries(texts(stage)).filter(([key]) => !keys.includes(key as keyof Texts)));
const replaced =
  (texts: (stage: Stage) => Texts, key: keyof Texts, wrong: string) =>
  (stage: Stage): Texts => ({
    ...texts(stage),
    [key]: wrong,
  });

const humanTexts = ({ human }: Stage): Texts => ({
  TurnstileServerAddress: human.url,
  TurnstileSiteKey: 'site',
  TurnstileSecretKey: HUMAN_SECRET,
  TurnstileCheckEnabled: 'true',
});
const loginAsHuman = (stage: Stage) => login(stage, `?turnstile=${stage.human.solve()}`);

async function throughWorker(stage: Stage): Promise<unknown> {
  stage.worker.seen.length = 0;
  await loginAsHuman(stage);
  const order = stage.worker.seen[0];
  return order ? (JSON.parse(order.body) as { key: string }).key : 'direct';
}

/** Browser tests check the visible effect of these options. */
const SHOWN = { shown: 'tests/e2e/settings-effects.test.ts' };

export const accountEffects: Effects = {
  PasswordLoginEnabled: {
    effect: 'Sign-in by password is refused',
    text: 'false',
    observe: login,
    before: 'wrong_credentials',
    after: 'password_login_disabled',
  },
  RegisterEnabled: {
    ...SHOWN,
    effect: 'New users cannot register',
    text: 'false',
    observe: register,
    before: 'done',
    after: 'register_disabled',
  },
  PasswordRegisterEnabled: {
    effect: 'Registration by password is refused',
    text: 'false',
    observe: register,
    before: 'done',
    after: 'password_register_disabled',
  },
  EmailVerificationEnabled: {
    effect: 'Registration asks for an email and its code',
    given: () => ({ SMTPServer: '127.0.0.1', SMTPFrom: 'gate@example.com' }),
    text: 'true',
    observe: register,
    before: 'done',
    after: 'email_required',
  },
  QuotaForNewUser: {
    effect: 'What a new account starts with',
    text: '777',
    observe: async (stage) => quotaOf(stage, (await stage.register()).username),
    before: 0,
    after: 777,
  },
  CheckInEnabled: {
    effect: 'The daily check-in is offered in the wallet, once per user and day',
    text: 'true',
    observe: async ({ app }) =>
      (await app.request('/api/user/checkin', { as: await app.actor(), body: {} })).body.code ?? 'rewarded',
    before: 'check_in_disabled',
    after: 'rewarded',
  },
  CheckInMinQuota: {
    effect: 'The smallest reward of a check-in',
    file: 'tests/integration/money/wallet/check-in.test.ts',
  },
  CheckInMaxQuota: {
    effect: 'The largest reward; each is chosen at random between the two',
    file: 'tests/integration/money/wallet/check-in.test.ts',
  },
  CheckInTimeZone: {
    effect: 'The time zone whose midnight begins the day of a check-in',
    file: 'tests/integration/money/wallet/check-in.test.ts',
  },
  QuotaForInvitee: {
    effect: 'What an invited account gets in addition',
    text: '55',
    observe: async (stage) => (await invite(stage)).invitee,
    before: 0,
    after: 55,
  },
  QuotaForInviter: {
    effect: 'What the inviter earns',
    text: '66',
    observe: async (stage) => (await invite(stage)).inviter,
    before: 0,
    after: 66,
  },
  InviteRewardAfterTopUp: {
    effect: 'The inviter earns nothing before the invited user pays an order',
    given: () => ({ QuotaForInviter: '66' }),
    text: 'true',
    observe: async (stage) => (await invite(stage)).inviter,
    before: 66,
    after: 0,
  },
  AdminTwoFactorRequired: {
    effect: 'Administrators without two-factor or a passkey reach only their own account',
    file: 'tests/integration/admin/accounts/two-factor.test.ts',
  },
  EmailDomainRestrictionEnabled: {
    effect: 'Emails of other domains are refused',
    given: mailTexts,
    text: 'true',
    observe: sendCode('#@elsewhere.example'),
    before: 'done',
    after: 'email_not_accepted',
  },
  EmailDomainWhitelist: {
    effect: 'The domains that are accepted',
    given: (stage) => ({ ...mailTexts(stage), EmailDomainRestrictionEnabled: 'true' }),
    text: 'house.example',
    observe: sendCode('#@house.example'),
    before: 'email_not_accepted',
    after: 'done',
  },
  EmailAliasRestrictionEnabled: {
    effect: 'Emails with + or . in the name are refused',
    given: mailTexts,
    text: 'true',
    observe: sendCode('#+alias@gmail.com'),
    before: 'done',
    after: 'email_not_accepted',
  },
  EmailCodeMinutes: {
    effect: 'How long an email code is valid',
    given: mailTexts,
    text: '25',
    observe: codeValidity,
    before: 10,
    after: 25,
  },
  ResetLinkMinutes: {
    effect: 'How long a reset link is valid',
    given: mailTexts,
    text: '45',
    observe: resetValidity,
    before: 15,
    after: 45,
  },

  SMTPServer: {
    effect: 'The server that sends emails',
    given: mailWithout('SMTPServer'),
    text: '127.0.0.1',
    observe: testMail,
    before: 'refused',
    after: 'mailer@tollgate.test',
  },
  SMTPPort: { effect: 'Its port', ...withMail('SMTPPort', '1'), after: 'mailer@tollgate.test' },
  SMTPAccount: {
    effect: 'The account that emails are sent from',
    ...withMail('SMTPAccount', 'somebody-else'),
    after: 'mailer@tollgate.test',
  },
  SMTPToken: {
    effect: 'Its password',
    ...withMail('SMTPToken', 'wrong-password'),
    after: 'mailer@tollgate.test',
  },
  SMTPFrom: {
    effect: 'The sender of emails',
    given: mailTexts,
    text: 'gate@house.example',
    observe: testMail,
    before: 'mailer@tollgate.test',
    after: 'gate@house.example',
  },
  SMTPSSLEnabled: {
    effect: 'TLS from the first byte (a server without TLS is no longer reached)',
    given: mailTexts,
    text: 'true',
    observe: testMail,
    before: 'mailer@tollgate.test',
    after: 'refused',
  },

  GitHubOAuthEnabled: {
    ...SHOWN,
    effect: 'Sign-in with GitHub',
    given: without(githubTexts, 'GitHubOAuthEnabled'),
    text: 'true',
    observe: (stage) => github(stage).catch(() => 'refused'),
    before: 'refused',
    after: 'done',
  },
  GitHubClientId: {
    effect: 'The client ID of our GitHub application',
    given: replaced(githubTexts, 'GitHubClientId', 'other'),
    text: ({ github }) => github.clientId,
    observe: async (stage) => (await github(stage)) === 'done',
    before: false,
    after: true,
  },
  GitHubClientSecret: {
    effect: 'Its secret',
    given: replaced(githubTexts, 'GitHubClientSecret', 'other'),
    text: ({ github }) => github.clientSecret,
    observe: async (stage) => (await github(stage)) === 'done',
    before: false,
    after: true,
  },
  GitHubAddress: {
    effect: 'A GitHub server of your own',
    given: without(githubTexts, 'GitHubAddress'),
    text: ({ github }) => github.url,
    observe: async (stage) => (await authorizeUrl('github')(stage)).origin === stage.github.url,
    before: false,
    after: true,
  },
  LinuxDOOAuthEnabled: {
    effect: 'Sign-in with LinuxDO',
    given: without(linuxdoTexts, 'LinuxDOOAuthEnabled'),
    text: 'true',
    observe: (stage) => linuxdo(stage).catch(() => 'refused'),
    before: 'refused',
    after: 'done',
  },
  LinuxDOClientId: {
    effect: 'The client ID of our forum application',
    given: replaced(linuxdoTexts, 'LinuxDOClientId', 'other'),
    text: ({ linuxdo }) => linuxdo.clientId,
    observe: async (stage) => (await linuxdo(stage)) === 'done',
    before: false,
    after: true,
  },
  LinuxDOClientSecret: {
    effect: 'Its secret',
    given: replaced(linuxdoTexts, 'LinuxDOClientSecret', 'other'),
    text: ({ linuxdo }) => linuxdo.clientSecret,
    observe: async (stage) => (await linuxdo(stage)) === 'done',
    before: false,
    after: true,
  },
  LinuxDOAddress: {
    effect: "The address of the forum's sign-in",
    given: without(linuxdoTexts, 'LinuxDOAddress'),
    text: ({ linuxdo }) => linuxdo.url,
    observe: async (stage) => (await authorizeUrl('linuxdo')(stage)).origin === stage.linuxdo.url,
    before: false,
    after: true,
  },
  LinuxDOMinimumTrustLevel: {
    effect: 'Members below it are refused',
    given: linuxdoTexts,
    text: '4',
    observe: async (stage) => (await linuxdo(stage)) === 'done',
    before: true,
    after: false,
  },
  OIDCEnabled: {
    effect: 'Sign-in with any OIDC provider',
    given: without(oidcTexts, 'OIDCEnabled'),
    text: 'true',
    observe: (stage) => oidc(stage).catch(() => 'refused'),
    before: 'refused',
    after: 'done',
  },
  OIDCName: {
    ...SHOWN,
    effect: 'The name on its button',
    text: 'Company ID',
    observe: status('oidc_name'),
    given: oidcTexts,
    before: 'OIDC',
    after: 'Company ID',
  },
  OIDCIssuer: {
    effect: 'Which provider is discovered',
    given: replaced(oidcTexts, 'OIDCIssuer', 'http://127.0.0.1:9'),
    text: ({ oidc }) => oidc.url,
    observe: (stage) => oidc(stage).catch(() => 'refused'),
    before: 'refused',
    after: 'done',
  },
  OIDCClientId: {
    effect: 'The client ID at the provider',
    given: replaced(oidcTexts, 'OIDCClientId', 'other'),
    text: ({ oidc }) => oidc.clientId,
    observe: async (stage) =>
      (await authorizeUrl('oidc')(stage)).searchParams.get('client_id') === stage.oidc.clientId,
    before: false,
    after: true,
  },
  OIDCClientSecret: {
    effect: 'Its secret',
    given: replaced(oidcTexts, 'OIDCClientSecret', 'other'),
    text: ({ oidc }) => oidc.clientSecret,
    observe: async (stage) => (await oidc(stage)) === 'done',
    before: false,
    after: true,
  },
  OIDCScopes: {
    effect: 'The scopes requested from the provider',
    given: oidcTexts,
    text: 'openid email',
    observe: async (stage) => (await authorizeUrl('oidc')(stage)).searchParams.get('scope'),
    before: 'openid profile email',
    after: 'openid email',
  },
  WeChatAuthEnabled: {
    effect: 'Sign-in with a code from the WeChat account',
    given: without(wechatTexts, 'WeChatAuthEnabled'),
    text: 'true',
    observe: wechat,
    before: 'outside_login_disabled',
    after: 'done',
  },
  WeChatServerAddress: {
    effect: 'The server that resolves a code to its WeChat user',
    given: replaced(wechatTexts, 'WeChatServerAddress', 'http://127.0.0.1:9'),
    text: ({ wechat }) => wechat.url,
    observe: async (stage) => (await wechat(stage)) === 'done',
    before: false,
    after: true,
  },
  WeChatServerToken: {
    effect: 'The token sent to that server',
    given: replaced(wechatTexts, 'WeChatServerToken', 'other-token'),
    text: ({ wechat }) => wechat.token,
    observe: async (stage) => (await wechat(stage)) === 'done',
    before: false,
    after: true,
  },
  WeChatAccountQRCodeImageURL: {
    ...SHOWN,
    effect: 'The QR code in the sign-in dialog',
    text: 'https://img.example/qr.png',
    observe: status('wechat_qrcode'),
    before: '',
    after: 'https://img.example/qr.png',
  },
  TelegramOAuthEnabled: {
    effect: 'Sign-in with the Telegram widget',
    given: without(telegramTexts, 'TelegramOAuthEnabled'),
    text: 'true',
    observe: async (stage) => (await telegram(stage)) === 'outside_login_disabled',
    before: true,
    after: false,
  },
  TelegramBotToken: {
    effect: "The token that checks the widget's signature",
    given: replaced(telegramTexts, 'TelegramBotToken', '1:other-token'),
    text: BOT_TOKEN,
    observe: telegram,
    before: 'outside_refused',
    after: 'outside_not_bound',
  },
  TelegramBotName: {
    ...SHOWN,
    effect: 'The bot of the widget',
    given: without(telegramTexts, 'TelegramBotName', 'TelegramOAuthEnabled'),
    text: 'house_bot',
    observe: status('telegram_bot_name'),
    before: '',
    after: 'house_bot',
  },

  TurnstileCheckEnabled: {
    effect: 'Sign-in and registration ask for the human check',
    given: without(humanTexts, 'TurnstileCheckEnabled'),
    text: 'true',
    observe: login,
    before: 'wrong_credentials',
    after: 'human_check_failed',
  },
  TurnstileSiteKey: {
    shown: 'tests/e2e/account.test.ts',
    effect: 'The key of the widget',
    text: 'house-site',
    observe: status('turnstile_site_key'),
    before: '',
    after: 'house-site',
  },
  TurnstileSecretKey: {
    effect: 'The secret that verifies the answer',
    given: replaced(humanTexts, 'TurnstileSecretKey', 'other-secret'),
    text: HUMAN_SECRET,
    observe: loginAsHuman,
    before: 'human_check_failed',
    after: 'wrong_credentials',
  },
  TurnstileServerAddress: {
    effect: 'The server that verifies it',
    given: replaced(humanTexts, 'TurnstileServerAddress', 'http://127.0.0.1:9'),
    text: ({ human }) => human.url,
    observe: loginAsHuman,
    before: 'human_check_failed',
    after: 'wrong_credentials',
  },
  WorkerUrl: {
    effect: 'Outgoing calls of the system, and downloads of images that users name, go through the worker',
    given: humanTexts,
    text: ({ worker }) => worker.url,
    observe: throughWorker,
    before: 'direct',
    after: '',
  },
  WorkerValidKey: {
    effect: 'The key sent to the worker',
    given: (stage) => ({ ...humanTexts(stage), WorkerUrl: stage.worker.url }),
    text: 'the-worker-key',
    observe: throughWorker,
    before: '',
    after: 'the-worker-key',
  },
};
