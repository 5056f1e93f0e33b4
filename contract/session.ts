// Signing in, signing up and signing out.
import { z } from 'zod';
import { endpoint } from './endpoint.ts';

export const PASSWORD_MIN_CHARACTERS = 8;
export const PASSWORD_MAX_BYTES = 128;
/** What the form hints and enforces; the server takes longer names from imports and outside logins. */
export const USERNAME_HINT_CHARACTERS = 12;
export const RESEND_SECONDS = 30;

/** What the console keeps as the local `user` record after a login. */
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

const humanCheck = z.object({ turnstile: z.string().max(4000).optional() });

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
    summary: { zh: '密码登录', en: 'Sign in by password' },
    query: humanCheck,
    body: loginBody,
    returns: sessionUser,
    limit: 'critical',
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
    summary: { zh: '注销', en: 'Sign out' },
    returns: z.null(),
  }),
};
