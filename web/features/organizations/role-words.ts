/** Roles in words. */
import { useTranslation } from 'react-i18next';
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import { ROLE_WORDS } from '#contract/admin/organization-role-words.ts';
import { languageOf } from '#contract/language.ts';

export function useRoleName(): (role: OrganizationRole) => string {
  const { i18n } = useTranslation();
  const language = languageOf(i18n.language);
  return (role) => ROLE_WORDS[role][language];
}

export type GivenRole = Exclude<OrganizationRole, 'owner'>;

/** Ownership is offered, not given. */
export const GIVEN_ROLES = ORGANIZATION_ROLES.filter((role): role is GivenRole => role !== 'owner');
