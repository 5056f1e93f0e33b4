// Single sign-on of an organization: its OpenID Connect provider, the mail domains that it has proven, the groups that decide over
// roles, and the tokens of SCIM. Two calls of visitors lead a person to the provider of their address and back.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { givenRole } from './organizations.ts';
import { loginAnswer } from './session.ts';

export const SIGN_ON_DOMAINS_MAX = 50;
export const SIGN_ON_GROUPS_MAX = 500;
export const SCIM_TOKENS_MAX = 10;
export const SIGN_ON_GROUP_NAME_MAX = 200;
/** Before the domain: where the TXT record of its proof is. */
export const DOMAIN_PROOF_LABEL = '_tollgate';
export const DOMAIN_PROOF_PREFIX = 'tollgate-domain=';
/** A domain whose record is gone leads to its organization for so long. */
const DOMAIN_GRACE_DAYS = 7;
export const DOMAIN_GRACE_SECONDS = DOMAIN_GRACE_DAYS * DAY_SECONDS;
/** The page that a provider sends the browser back to; the id of the organization follows. */
export const SIGN_ON_RETURN_PATH = '/oauth/organization/';
export const SCIM_ROOT = '/scim/v2';

const providerFields = z.object({
  /** Address under which the provider has its `/.well-known/openid-configuration`. */
  issuer: z.string().trim().min(1).max(500),
  client_id: z.string().trim().min(1).max(300),
  /** Separated by spaces; `openid` is always requested. */
  scopes: z.string().trim().max(300),
  /** The claim with the names of the person's groups; blank: groups come by SCIM, or there are none. */
  groups_claim: z.string().trim().max(100),
  /** Of a new member whose groups give none. */
  default_role: givenRole,
  enabled: z.boolean(),
  /** Members of the proven domains sign in only so; owners keep their other ways. */
  required: z.boolean(),
});

export const signOnProvider = providerFields.extend({
  created_at: z.number(),
  /** Registered at the provider. */
  redirect_uri: z.string(),
});
export type SignOnProvider = z.output<typeof signOnProvider>;

export const signOnDomain = z.object({
  id: z.number(),
  domain: z.string(),
  /** 0: not yet, or no more. */
  verified_at: z.number(),
  created_at: z.number(),
  /** Since when the TXT record is gone; 0: it is there. A domain that is not verified was lost by it. */
  missing_since: z.number(),
  /** While it is gone: until when the domain still leads to the organization; else 0. */
  ends_at: z.number(),
  record_name: z.string(),
  record_value: z.string(),
});
export type SignOnDomain = z.output<typeof signOnDomain>;

const groupFields = z.object({
  /** As the claim or SCIM spells it. */
  name: z.string().trim().min(1).max(SIGN_ON_GROUP_NAME_MAX),
  /** Blank: the group gives no role. */
  role: z.union([z.literal(''), givenRole]),
  /** The projects that its people may make keys in; none: all. */
  project_ids: z.array(z.number().int().positive()).max(500),
});

export const signOnGroup = groupFields.extend({
  id: z.number(),
  /** People that SCIM has put into it. */
  members: z.number(),
  /** Made and named by the provider, by SCIM. */
  by_scim: z.boolean(),
  created_at: z.number(),
});
export type SignOnGroup = z.output<typeof signOnGroup>;

export const scimToken = z.object({
  id: z.number(),
  name: z.string(),
  /** The last characters. */
  hint: z.string(),
  created_at: z.number(),
  created_by_name: z.string(),
  /** 0: never. */
  last_used_at: z.number(),
});
export type ScimToken = z.output<typeof scimToken>;

export const signOnView = z.object({
  /** False: the operator has turned it off. */
  available: z.boolean(),
  provider: signOnProvider.nullable(),
  redirect_uri: z.string(),
  scim_url: z.string(),
  domains: z.array(signOnDomain),
  groups: z.array(signOnGroup),
  tokens: z.array(scimToken),
  /** Accounts that the provider or SCIM knows. */
  people: z.number(),
});
export type SignOnView = z.output<typeof signOnView>;

export const signOn = {
  /** Begins the sign-in of an address: the provider's page, for the browser. */
  begin: endpoint({
    method: 'POST',
    path: '/api/oauth/organization',
    access: 'visitor',
    limit: 'guess',
    secret: true,
    summary: { zh: '开始单点登录', en: 'Start single sign-on' },
    body: z.object({ email: z.string().trim().max(320) }),
    returns: z.object({ authorize_url: z.string(), organization: z.string() }),
  }),
  /** The state is valid once, in the browser that began. */
  finish: endpoint({
    method: 'GET',
    path: '/api/oauth/organization',
    access: 'visitor',
    limit: 'guess',
    acts: true,
    secret: true,
    summary: { zh: '单点登录回调', en: 'Finish single sign-on' },
    query: z.object({
      organization: z.coerce.number().int().positive(),
      code: z.string().max(4000).default(''),
      state: z.string().max(200).default(''),
      iss: z.string().max(2000).optional(),
    }),
    returns: loginAnswer,
  }),
};

const PATH = '/api/organization/sign_on';
const reading = {
  access: 'user',
  organization: 'sign_on.read',
  organizationOnly: true,
} as const;
const managing = { ...reading, organization: 'sign_on.manage' } as const;

export const organizationSignOn = {
  read: endpoint({
    ...reading,
    method: 'GET',
    path: PATH,
    summary: { zh: '读取单点登录设置', en: 'Read the single sign-on of the organization' },
    returns: signOnView,
  }),
  /** Its document is read before it is stored. Another issuer needs the secret again. */
  saveProvider: endpoint({
    ...managing,
    method: 'PUT',
    path: PATH,
    stepUp: true,
    limit: 'critical',
    limitPer: 'user',
    summary: { zh: '保存身份提供方', en: 'Save the identity provider' },
    body: providerFields
      .partial({ scopes: true, groups_claim: true, default_role: true, enabled: true, required: true })
      .extend({ client_secret: z.string().max(1000).optional(), based_on: basedOn }),
    returns: signOnView,
  }),
  /** People keep their membership and sign in in other ways. */
  removeProvider: endpoint({
    ...managing,
    method: 'DELETE',
    path: PATH,
    stepUp: true,
    summary: { zh: '移除身份提供方', en: 'Remove the identity provider' },
    returns: signOnView,
  }),
  addDomain: endpoint({
    ...managing,
    method: 'POST',
    path: `${PATH}/domains`,
    summary: { zh: '添加邮箱域名', en: 'Add a mail domain' },
    body: z.object({ domain: z.string().trim().min(1).max(253) }),
    returns: signOnDomain,
  }),
  /** Looks for the TXT record. */
  verifyDomain: endpoint({
    ...managing,
    method: 'POST',
    path: `${PATH}/domains/{id}/verify`,
    stepUp: true,
    limit: 'critical',
    limitPer: 'user',
    summary: { zh: '验证邮箱域名', en: 'Verify a mail domain' },
    params: idParams,
    returns: signOnDomain,
  }),
  removeDomain: endpoint({
    ...managing,
    method: 'DELETE',
    path: `${PATH}/domains/{id}`,
    summary: { zh: '移除邮箱域名', en: 'Remove a mail domain' },
    params: idParams,
    returns: z.null(),
  }),
  createGroup: endpoint({
    ...managing,
    method: 'POST',
    path: `${PATH}/groups`,
    summary: { zh: '添加用户组', en: 'Add a group' },
    body: groupFields.partial({ role: true, project_ids: true }),
    returns: signOnGroup,
  }),
  changeGroup: endpoint({
    ...managing,
    method: 'PUT',
    path: `${PATH}/groups/{id}`,
    summary: { zh: '修改用户组', en: 'Change a group' },
    params: idParams,
    body: groupFields.partial().extend({ based_on: basedOn }),
    returns: signOnGroup,
  }),
  removeGroup: endpoint({
    ...managing,
    method: 'DELETE',
    path: `${PATH}/groups/{id}`,
    summary: { zh: '移除用户组', en: 'Remove a group' },
    params: idParams,
    returns: z.null(),
  }),
  /** `token` is in this answer only. */
  createToken: endpoint({
    ...managing,
    method: 'POST',
    path: `${PATH}/scim_tokens`,
    stepUp: true,
    sessionOnly: true,
    secret: true,
    summary: { zh: '创建 SCIM 密钥', en: 'Create a SCIM key' },
    body: z.object({ name: z.string().trim().min(1).max(50) }),
    returns: scimToken.extend({ token: z.string() }),
  }),
  revokeToken: endpoint({
    ...managing,
    method: 'DELETE',
    path: `${PATH}/scim_tokens/{id}`,
    summary: { zh: '吊销 SCIM 密钥', en: 'Revoke a SCIM key' },
    params: idParams,
    returns: z.null(),
  }),
};
