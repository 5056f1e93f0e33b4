// Protection of an account beside its password: two-factor codes, passkeys, the list of sessions, and the step-up that
// sensitive calls require.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

/** How long a sign-in or a confirmation is valid for endpoints with `stepUp`. */
export const STEP_UP_SECONDS = 300;
export const RECOVERY_CODES = 10;
export const PASSKEYS_MAX = 20;
export const PASSKEY_NAME_MAX = 40;

const base64url = z
  .string()
  .min(1)
  .max(20_000)
  .regex(/^[\w-]+$/);
const extensions = z.record(z.string(), z.unknown()).default({});

/** For `PublicKeyCredential.parse…OptionsFromJSON` of the browser; not read by our code. */
export const passkeyOptions = z.record(z.string(), z.unknown());

const credential = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(40).nullish(),
  clientExtensionResults: extensions,
};

/** `PublicKeyCredential.toJSON()` of a new passkey. */
export const passkeyAttestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
});

/** `PublicKeyCredential.toJSON()` of a passkey that was used. */
export const passkeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: base64url.nullish(),
  }),
});

export const passkeyView = z.object({
  id: z.number(),
  name: z.string(),
  created_at: z.number(),
  /** 0 = never. */
  last_used_at: z.number(),
});
export type PasskeyView = z.output<typeof passkeyView>;

export const sessionView = z.object({
  id: z.string(),
  /** The session of this call. */
  current: z.boolean(),
  /** Such as `Firefox`; empty when unknown. */
  browser: z.string(),
  /** Such as `Windows`; empty when unknown. */
  system: z.string(),
  user_agent: z.string(),
  ip: z.string(),
  created_at: z.number(),
  seen_at: z.number(),
  expires_at: z.number(),
});
export type SessionView = z.output<typeof sessionView>;

export const securityView = z.object({
  two_factor: z.object({
    enabled: z.boolean(),
    /** 0 while it is off. */
    enabled_at: z.number(),
    recovery_codes_left: z.number(),
  }),
  passkeys: z.array(passkeyView),
  /** False for accounts made by an outside login that never set one. */
  has_password: z.boolean(),
  has_access_token: z.boolean(),
  /** Until then sensitive calls need no new confirmation; unix seconds. */
  verified_until: z.number(),
});
export type SecurityView = z.output<typeof securityView>;

const code = z.object({ code: z.string().trim().max(64) });
const confirmed = z.object({ verified_until: z.number() });
/** Shown once; only their digests are stored. */
const recoveryCodes = z.object({ recovery_codes: z.array(z.string()) });
const passkeyName = z.string().trim().min(1).max(PASSKEY_NAME_MAX);

const OWN = { access: 'user', sessionOnly: true } as const;
const SENSITIVE = { ...OWN, stepUp: true, secret: true } as const;

export const security = {
  overview: endpoint({
    ...OWN,
    method: 'GET',
    path: '/api/user/security',
    summary: { zh: '账户安全概览', en: 'How your account is protected' },
    returns: securityView,
  }),
  /** The step-up, by password or by a two-factor code. An account with two-factor needs the code. */
  confirm: endpoint({
    ...OWN,
    method: 'POST',
    path: '/api/user/security/confirm',
    summary: { zh: '安全验证', en: 'Confirm that it is you' },
    body: z.object({ password: z.string().max(1000).optional(), code: z.string().trim().max(64).optional() }),
    returns: confirmed,
    limit: 'guess',
    secret: true,
  }),
  confirmPasskeyBegin: endpoint({
    ...OWN,
    method: 'POST',
    path: '/api/user/security/confirm/passkey/begin',
    summary: { zh: '开始以通行密钥验证', en: 'Start confirming with a passkey' },
    returns: passkeyOptions,
  }),
  confirmPasskeyFinish: endpoint({
    ...OWN,
    method: 'POST',
    path: '/api/user/security/confirm/passkey/finish',
    summary: { zh: '完成通行密钥验证', en: 'Finish confirming with a passkey' },
    body: z.object({ credential: passkeyAssertion }),
    returns: confirmed,
    limit: 'guess',
    secret: true,
  }),

  /** A new secret, without effect until `twoFactorEnable`. */
  twoFactorSetup: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/2fa/setup',
    summary: { zh: '开始设置两步验证', en: 'Start setting up two-factor' },
    returns: z.object({ secret: z.string(), uri: z.string() }),
  }),
  twoFactorEnable: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/2fa/enable',
    summary: { zh: '启用两步验证', en: 'Turn on two-factor with a first code' },
    body: code,
    returns: recoveryCodes,
    limit: 'guess',
  }),
  /** Needs a two-factor or recovery code even right after a sign-in. */
  twoFactorDisable: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/2fa/disable',
    summary: { zh: '关闭两步验证', en: 'Turn two-factor off' },
    body: code,
    returns: z.null(),
    limit: 'guess',
  }),
  recoveryCodes: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/2fa/backup_codes',
    summary: { zh: '重新生成恢复码', en: 'Replace the recovery codes' },
    body: code,
    returns: recoveryCodes,
    limit: 'guess',
  }),

  passkeyRegisterBegin: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/passkey/register/begin',
    summary: { zh: '开始添加通行密钥', en: 'Start adding a passkey' },
    returns: passkeyOptions,
  }),
  passkeyRegisterFinish: endpoint({
    ...SENSITIVE,
    method: 'POST',
    path: '/api/user/passkey/register/finish',
    summary: { zh: '完成添加通行密钥', en: 'Finish adding a passkey' },
    body: z.object({ name: passkeyName.optional(), credential: passkeyAttestation }),
    returns: passkeyView,
  }),
  passkeyRename: endpoint({
    ...OWN,
    method: 'PUT',
    path: '/api/user/passkey/{id}',
    summary: { zh: '重命名通行密钥', en: 'Rename a passkey' },
    params: idParams,
    body: z.object({ name: passkeyName }),
    returns: passkeyView,
  }),
  /** Refused for the last way to sign in. */
  passkeyRemove: endpoint({
    ...SENSITIVE,
    method: 'DELETE',
    path: '/api/user/passkey/{id}',
    summary: { zh: '删除通行密钥', en: 'Remove a passkey' },
    params: idParams,
    returns: z.null(),
  }),

  sessions: endpoint({
    ...OWN,
    method: 'GET',
    path: '/api/user/sessions',
    summary: { zh: '登录设备', en: 'Where you are signed in' },
    returns: z.array(sessionView),
  }),
  endSession: endpoint({
    ...OWN,
    method: 'DELETE',
    path: '/api/user/sessions/{id}',
    summary: { zh: '退出某个设备', en: 'Sign one session out' },
    params: z.object({ id: z.string().max(64) }),
    returns: z.null(),
  }),
  /** `data` is the number of ended sessions. */
  endOtherSessions: endpoint({
    ...OWN,
    method: 'DELETE',
    path: '/api/user/sessions',
    summary: { zh: '退出其他设备', en: 'Sign every other session out' },
    returns: z.number(),
  }),
};
