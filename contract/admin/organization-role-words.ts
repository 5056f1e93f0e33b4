// The names of the roles of an organization, beside their rights: the console loads the rights first.
import type { Text } from '#contract/language.ts';
import type { OrganizationRole } from './organization-rights.ts';

export const ROLE_WORDS: Readonly<Record<OrganizationRole, Text>> = {
  owner: { zh: '所有者', en: 'Owner' },
  admin: { zh: '管理员', en: 'Admin' },
  billing: { zh: '财务', en: 'Billing' },
  member: { zh: '成员', en: 'Member' },
  viewer: { zh: '只读', en: 'Viewer' },
};

/** The names of these roles, as a sentence lists them. */
export function rolesWords(roles: readonly OrganizationRole[]): Text {
  return {
    zh: roles.map((role) => ROLE_WORDS[role].zh).join('、'),
    en: roles.map((role) => ROLE_WORDS[role].en).join(', '),
  };
}
