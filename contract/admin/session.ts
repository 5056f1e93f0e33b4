// Sign-in, sign-up and sign-out; the codes that prove an email address; the password reset by mail.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { passkeyAssertion, passkeyOptions } from './security.ts';

export const PASSWORD_MIN_CHARACTERS = 8;
export const PASSWORD_MAX_BYTES = 128;
/** Limit of the form; imports and outside logins can have longer names. */
export const USERNAME_HINT_CHARACTERS = 12;
export const RESEND_SECONDS = 30;

/** The record `user` that the console stores locally after a login. */
export const sessionUser = z.object({
  id: z.number(),
  username: z.string(),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  group: z.string(),
  /** The super admin still uses the password made at the first start. */
  password_is_initial: z.boolean(),
});
export type SessionUser = z.output<typeof sessionUser>;

/** The password was right; `loginSecondStep` must follow in the same browser within minutes. */
export const secondStepNeeded = z.object({ require_2fa: z.literal(true) });
export type SecondStepNeeded = z.output<typeof secondStepNeeded>;

/** Answer of every sign-in except with a passkey. */
export const loginAnswer = z.union([secondStepNeeded, sessionUser]);
export type LoginAnswer = z.output<typeof loginAnswer>;

export function needsSecondStep(answer: LoginAnswer): answer is SecondStepNeeded {
  return 'require_2fa' in answer;
}

export const humanCheck = z.object({ turnstile: z.string().max(4000).optional() });
const emailQuery = humanCheck.extend({ email: z.string().trim().max(320).default('') });

export const loginBody = z.object({ username: z.string().max(320), password: z.string().max(1000) });

export const registerBody = z.object({
  username: z.string().trim().max(64),
  password: z.string().max(1000),
  password2: z.string().max(1000).optional(),
  email: z.string().trim().max(320).optional(),
  verification_code: z.string().trim().max(64).optional(),
  aff_code: z.string().trim().max(64).optional(),
});

export const session = {
  login: endpoint({
    method: 'POST',
    path: '/api/user/login',
    access: 'public',
    summary: { zh: '密码登录', en: 'Sign in with a password' },
    query: humanCheck,
    body: loginBody,
    returns: loginAnswer,
    limit: 'guess',
    secret: true,
  }),
  register: endpoint({
    method: 'POST',
    path: '/api/user/register',
    access: 'public',
    summary: { zh: '注册', en: 'Register' },
    query: humanCheck,
    body: registerBody,
    returns: z.null(),
    limit: 'critical',
    secret: true,
  }),
  logout: endpoint({
    method: 'GET',
    path: '/api/user/logout',
    access: 'public',
    summary: { zh: '退出登录', en: 'Sign out' },
    returns: z.null(),
  }),
};

/** Sign-in with a second factor, and with a passkey. */
export const signIn = {
  loginSecondStep: endpoint({
    method: 'POST',
    path: '/api/user/login/2fa',
    access: 'public',
    summary: { zh: '两步验证登录', en: 'Second step of signing in: a TOTP or recovery code' },
    body: z.object({ code: z.string().trim().max(64) }),
    returns: sessionUser,
    limit: 'guess',
    secret: true,
  }),
  passkeyLoginBegin: endpoint({
    method: 'POST',
    path: '/api/user/passkey/login/begin',
    access: 'public',
    summary: { zh: '开始通行密钥登录', en: 'Start signing in with a passkey; no username is needed' },
    returns: passkeyOptions,
  }),
  passkeyLoginFinish: endpoint({
    method: 'POST',
    path: '/api/user/passkey/login/finish',
    access: 'public',
    summary: { zh: '完成通行密钥登录', en: 'Finish signing in with a passkey' },
    body: z.object({ credential: passkeyAssertion }),
    returns: sessionUser,
    limit: 'guess',
    secret: true,
  }),
};

/** Email addresses and their codes. */
export const emails = {
  /** For registering and for binding an address. The answer does not disclose whether the address has an account. */
  verification: endpoint({
    method: 'GET',
    path: '/api/verification',
    access: 'visitor',
    summary: { zh: '发送邮箱验证码', en: 'Send the code that proves an email address' },
    query: emailQuery,
    returns: z.null(),
    limit: 'critical',
    acts: true,
  }),
  resetMail: endpoint({
    method: 'GET',
    path: '/api/reset_password',
    access: 'public',
    summary: { zh: '发送密码重置邮件', en: 'Send the password reset email' },
    query: emailQuery,
    returns: z.null(),
    limit: 'critical',
    acts: true,
  }),
  /** `data` is the new password. */
  reset: endpoint({
    method: 'POST',
    path: '/api/user/reset',
    access: 'public',
    summary: { zh: '确认重置密码', en: 'Reset the password with the link from the email' },
    body: z.object({ email: z.string().trim().max(320), token: z.string().trim().max(200) }),
    returns: z.string(),
    limit: 'guess',
    secret: true,
  }),
  bindEmail: endpoint({
    method: 'GET',
    path: '/api/oauth/email/bind',
    access: 'user',
    summary: { zh: '绑定邮箱', en: 'Link an email address, or change it' },
    query: z.object({
      email: z.string().trim().max(320).default(''),
      code: z.string().trim().max(64).default(''),
    }),
    returns: z.null(),
    limit: 'guess',
    acts: true,
    sessionOnly: true,
    stepUp: true,
  }),
};
