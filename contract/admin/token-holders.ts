// Of an organization's key: the member or the service account that has it, and its project. A person's own key has none of these.
import { z } from 'zod';
import type { OrganizationAccess } from './organization-rights.ts';

const id = z.number().int().positive().optional();

/** In what a caller sends. Exactly one of member and service account; without both the caller, without a project the usual one. */
export const tokenHolder = z.object({ member_id: id, service_account_id: id, project_id: id });
export type TokenHolder = z.output<typeof tokenHolder>;

/** In what is answered, for keys of organizations only; 0 and blank for the one of the two that does not have it. */
export const tokenHolderView = z.object({
  member_id: z.number(),
  member_name: z.string(),
  service_account_id: z.number(),
  service_account_name: z.string(),
  project_id: z.number(),
  project_name: z.string(),
});
export type TokenHolderView = z.output<typeof tokenHolderView>;

const named = z.coerce.number().int().positive().optional();
export const holderFacets = z.object({ member_id: named, service_account_id: named, project_id: named });

/** To see keys, and to change them. */
export const TOKEN_READING = {
  own: 'tokens.own',
  all: 'tokens.read_all',
} as const satisfies OrganizationAccess;
export const TOKEN_CHANGING = { own: 'tokens.own', all: 'tokens.all' } as const satisfies OrganizationAccess;
