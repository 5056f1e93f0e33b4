// Organizations: accounts that several people act for. A call acts for one if it names it in ORGANIZATION_HEADER; an endpoint
// says with `organization` which right that needs, and with `organizationOnly` that it has no meaning without.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { itemList, pageFromOne } from '#contract/lists.ts';
import { ORGANIZATION_ROLES, type OrganizationRole } from './organization-rights.ts';

export const ORGANIZATION_HEADER = 'Tollgate-Organization';
export const ORGANIZATION_NAME_MAX = 50;
export const MEMBERS_PER_ORGANIZATION = 10_000;

export const MEMBER_SOURCES = ['created', 'invited', 'sign_on', 'scim', 'admin'] as const;

const role = z.enum(ORGANIZATION_ROLES);
/** Ownership is offered and accepted (`organizations.offerOwnership`); it is not given with a role. */
export const givenRole = z.enum(ORGANIZATION_ROLES).exclude(['owner']);
export type GivenRole = Exclude<OrganizationRole, 'owner'>;

export const organizationName = z.string().trim().min(1).max(ORGANIZATION_NAME_MAX);

const companyFields = z.object({
  company_name: z.string().trim().max(200),
  company_address: z.string().trim().max(1000),
  tax_id: z.string().trim().max(60),
  /** Printed on receipts; gets the mails that owners get about money. May be blank. */
  billing_email: z.union([z.literal(''), z.email().max(255)]),
});
export type CompanyFields = z.output<typeof companyFields>;

/** One of the caller's own organizations, for the switcher. */
export const ownOrganization = z.object({
  id: z.number(),
  name: z.string(),
  role,
  suspended: z.boolean(),
});
export type OwnOrganization = z.output<typeof ownOrganization>;

export const ownershipOffer = z.object({
  /** Of the invitation, which the receiver answers. */
  id: z.number(),
  user_id: z.number(),
  username: z.string(),
  offered_by: z.number(),
  offered_by_name: z.string(),
  /** The role of the owner who made the offer, once it is accepted; `owner`: both own it. */
  then_role: role,
  created_at: z.number(),
  expires_at: z.number(),
});

export const organizationView = z.object({
  id: z.number(),
  name: z.string(),
  /** The caller's own. */
  role,
  suspended: z.boolean(),
  /** Why an administrator suspended it; may be blank. */
  suspended_reason: z.string(),
  /** Its price group. */
  group: z.string(),
  created_at: z.number(),
  members: z.number(),
  /** Null without the right to read bills. */
  company: companyFields.nullable(),
  /** Null without an open offer, and without the right to read members. */
  ownership_offer: ownershipOffer.nullable(),
  /** Answers to the calls of its keys are kept for all of them. */
  answer_cache: z.boolean(),
});
export type OrganizationView = z.output<typeof organizationView>;

export const memberView = z.object({
  user_id: z.number(),
  username: z.string(),
  display_name: z.string(),
  /** Blank without the right to manage members. */
  email: z.string(),
  role,
  source: z.enum(MEMBER_SOURCES),
  joined_at: z.number(),
  /** Keys that are not deleted. */
  tokens: z.number(),
});
export type MemberView = z.output<typeof memberView>;

/** What becomes of the keys of somebody who is removed. */
const tokensOfRemoved = z
  .discriminatedUnion('action', [
    z.object({ action: z.literal('disable') }),
    /** They go on working, for another member. */
    z.object({ action: z.literal('to_member'), user_id: z.number().int().positive() }),
    z.object({ action: z.literal('to_service_account'), service_account_id: z.number().int().positive() }),
  ])
  .default({ action: 'disable' });
export type TokensOfRemoved = z.output<typeof tokensOfRemoved>;

const userParams = z.object({ user_id: z.coerce.number().int().positive() });

export const organizations = {
  /** Those of the caller, for the switcher. Empty where organizations are turned off. */
  mine: endpoint({
    method: 'GET',
    path: '/api/organization/mine',
    access: 'user',
    summary: { zh: '我的组织', en: 'Your organizations' },
    returns: z.object({
      items: z.array(ownOrganization),
      can_create: z.boolean(),
      /** Open invitations and offers to the caller. */
      invited: z.number(),
    }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/organization/mine',
    access: 'user',
    summary: { zh: '创建组织', en: 'Create an organization' },
    body: z.object({ name: organizationName }),
    returns: ownOrganization,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/organization/current',
    access: 'user',
    organization: 'organization.read',
    organizationOnly: true,
    summary: { zh: '读取组织', en: 'Read the organization' },
    returns: organizationView,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/organization/current',
    access: 'user',
    organization: 'organization.manage',
    organizationOnly: true,
    summary: { zh: '修改组织', en: 'Change the organization' },
    body: z.object({
      name: organizationName.optional(),
      answer_cache: z.boolean().optional(),
      based_on: basedOn,
    }),
    returns: organizationView,
  }),
  changeCompany: endpoint({
    method: 'PUT',
    path: '/api/organization/company',
    access: 'user',
    organization: 'billing.manage',
    organizationOnly: true,
    summary: { zh: '修改收据上的公司信息', en: 'Change the company data of receipts' },
    body: companyFields.partial().extend({ based_on: basedOn }),
    returns: organizationView,
  }),
  /** Only without balance, running calls, open orders and plans. */
  remove: endpoint({
    method: 'DELETE',
    path: '/api/organization/current',
    access: 'user',
    organization: 'organization.delete',
    organizationOnly: true,
    stepUp: true,
    summary: { zh: '删除组织', en: 'Delete the organization' },
    returns: z.null(),
  }),
  /** To a member; it counts when they accept it (`invitations.accept`). A new offer takes the place of an open one. */
  offerOwnership: endpoint({
    method: 'POST',
    path: '/api/organization/ownership',
    access: 'user',
    organization: 'ownership.hand_over',
    organizationOnly: true,
    stepUp: true,
    summary: { zh: '提出移交所有权', en: 'Offer the ownership to a member' },
    body: z.object({ user_id: z.number().int().positive(), then_role: role.default('admin') }),
    returns: ownershipOffer,
  }),
  withdrawOwnership: endpoint({
    method: 'DELETE',
    path: '/api/organization/ownership',
    access: 'user',
    organization: 'ownership.hand_over',
    organizationOnly: true,
    summary: { zh: '撤回所有权移交', en: 'Withdraw the offer of ownership' },
    returns: z.null(),
  }),
};

export const members = {
  list: endpoint({
    method: 'GET',
    path: '/api/organization/members',
    access: 'user',
    organization: 'members.read',
    organizationOnly: true,
    summary: { zh: '成员列表', en: 'List the members' },
    query: pageFromOne.extend({
      /** Of username, display name or, for those who see it, email. */
      keyword: z.string().trim().max(100).default(''),
      role: role.optional(),
    }),
    returns: itemList(memberView),
  }),
  changeRole: endpoint({
    method: 'PUT',
    path: '/api/organization/members/{user_id}',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '修改成员的角色', en: "Change a member's role" },
    params: userParams,
    body: z.object({ role: givenRole }),
    returns: memberView,
  }),
  remove: endpoint({
    method: 'POST',
    path: '/api/organization/members/{user_id}/remove',
    access: 'user',
    organization: 'members.manage',
    organizationOnly: true,
    summary: { zh: '移除成员', en: 'Remove a member' },
    params: userParams,
    body: z.object({ tokens: tokensOfRemoved }),
    /** Keys that were disabled or handed over. */
    returns: z.object({ tokens: z.number() }),
  }),
  /** The caller's own keys in it are disabled. */
  leave: endpoint({
    method: 'POST',
    path: '/api/organization/leave',
    access: 'user',
    organization: 'organization.read',
    organizationOnly: true,
    summary: { zh: '退出组织', en: 'Leave the organization' },
    returns: z.object({ tokens: z.number() }),
  }),
};
