// Sign-in with accounts of other sites, and binding of such accounts. A redirect login begins with `state` and ends at its
// callback page, which sends code and state; WeChat uses a typed code, Telegram the signed fields of its widget.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { loginAnswer } from './session.ts';

/** Providers that send the browser back to `/oauth/{provider}` with a code. */
export const REDIRECT_PROVIDERS = ['github', 'linuxdo', 'oidc'] as const;
export type RedirectProvider = (typeof REDIRECT_PROVIDERS)[number];

export const OUTSIDE_PROVIDERS = [...REDIRECT_PROVIDERS, 'wechat', 'telegram'] as const;
export type OutsideProvider = (typeof OUTSIDE_PROVIDERS)[number];

/** How long a sign-in at another site may take. */
export const OUTSIDE_FLOW_SECONDS = 600;
/** How long a code of the WeChat account is valid, and how long the QR code is shown. */
export const WECHAT_CODE_SECONDS = 180;
/** The answer's `message` when an account was bound instead of signed in. */
export const BOUND_MESSAGE = 'bind';

/** The fields that the Telegram widget signs; every other parameter of the address is unsigned. */
export const TELEGRAM_FIELDS = [
  'id',
  'first_name',
  'last_name',
  'username',
  'photo_url',
  'auth_date',
  'hash',
  'lang',
] as const;

const field = z.string().max(1000).optional();
export const telegramFields = z.object({
  id: field,
  first_name: field,
  last_name: field,
  username: field,
  photo_url: field,
  auth_date: field,
  hash: field,
  lang: field,
});
export type TelegramFields = z.output<typeof telegramFields>;

const callbackQuery = z.object({
  code: z.string().max(4000).default(''),
  state: z.string().max(200).default(''),
  /** Issuer that sent the browser back, where the provider names it (RFC 9207). */
  iss: z.string().max(2000).optional(),
});
const codeQuery = z.object({ code: z.string().trim().max(64).default('') });

const SIGNS_IN = { method: 'GET', access: 'visitor', limit: 'guess', acts: true, secret: true } as const;

/** The callback of a redirect login: signs in a visitor, binds for a signed-in user. */
const callback = (provider: RedirectProvider, name: string) =>
  endpoint({
    ...SIGNS_IN,
    path: `/api/oauth/${provider}`,
    summary: { zh: `${name} 登录回调`, en: `Finish signing in or linking with ${name}` },
    query: callbackQuery,
    returns: loginAnswer.nullable(),
    extra: z.object({ message: z.enum(['', BOUND_MESSAGE]) }),
  });

export const outsideLogins = {
  /**
   * `data` is the state: valid once, in this browser, for a visitor to sign in or for the signed-in user to bind, which
   * needs the step-up.
   */
  state: endpoint({
    ...SIGNS_IN,
    path: '/api/oauth/state',
    summary: { zh: '开始第三方登录', en: 'Start signing in or linking through another site' },
    query: z.object({
      aff: z.string().trim().max(64).optional(),
      provider: z.enum([...REDIRECT_PROVIDERS, 'telegram']).optional(),
    }),
    returns: z.string(),
    /** The provider's page for the browser; empty when no redirect provider was named. */
    extra: z.object({ authorize_url: z.string() }),
  }),
  github: callback('github', 'GitHub'),
  linuxdo: callback('linuxdo', 'LinuxDO'),
  oidc: callback('oidc', 'OIDC'),
  wechatLogin: endpoint({
    ...SIGNS_IN,
    path: '/api/oauth/wechat',
    summary: { zh: '微信登录', en: 'Sign in with a code from the WeChat account' },
    query: codeQuery,
    returns: loginAnswer,
  }),
  wechatBind: endpoint({
    method: 'GET',
    path: '/api/oauth/wechat/bind',
    access: 'user',
    summary: { zh: '绑定微信', en: 'Link a WeChat account' },
    query: codeQuery,
    returns: z.null(),
    limit: 'guess',
    acts: true,
    sessionOnly: true,
    stepUp: true,
  }),
  telegramLogin: endpoint({
    ...SIGNS_IN,
    path: '/api/oauth/telegram/login',
    summary: { zh: 'Telegram 登录', en: 'Sign in with the fields of the Telegram widget' },
    query: telegramFields,
    returns: loginAnswer,
  }),
  /** The widget calls the same path by GET, which opens the console's page with the fields; the page then posts them. */
  telegramBind: endpoint({
    method: 'POST',
    path: '/api/oauth/telegram/bind',
    access: 'user',
    summary: { zh: '绑定 Telegram', en: 'Link a Telegram account' },
    body: telegramFields.extend({ state: z.string().max(200).default('') }),
    returns: z.null(),
    limit: 'guess',
    sessionOnly: true,
  }),
  /** Refused for the last way to sign in: a user without a password or a passkey keeps the last bound account. */
  unbind: endpoint({
    method: 'DELETE',
    path: '/api/oauth/{provider}/bind',
    access: 'user',
    summary: { zh: '解除第三方账户绑定', en: 'Unlink a third-party account' },
    params: z.object({ provider: z.enum(OUTSIDE_PROVIDERS) }),
    returns: z.null(),
    sessionOnly: true,
    stepUp: true,
  }),
};
