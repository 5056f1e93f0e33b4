// A person as the provider of an organization describes them. An address counts only if the same source says that it is verified.
import { z } from 'zod';
import { AppError } from '#contract/errors.ts';
import type { OidcPerson } from '#server/admin/oidc-client.ts';

const address = z.email().max(254);
const yes = z.union([z.literal(true), z.literal('true')]);

export interface SignOnIdentity {
  /** Issuer and subject: another issuer may give the same subject to another person. */
  subject: string;
  /** In lower case. */
  email: string;
  name: string;
  /** Undefined: the provider names none, or the claim is not set. */
  groups: readonly string[] | undefined;
}

const MOST_GROUPS = 500;

/** As the provider says it, also where it cannot be used; for naming whom a refusal is about. */
export const addressIn = ({ claims }: OidcPerson): string =>
  typeof claims['email'] === 'string' ? claims['email'].toLowerCase() : '';

export function identityIn({ issuer, subject, claims }: OidcPerson, groupsClaim: string): SignOnIdentity {
  const email = address.safeParse(claims['email']);
  if (!email.success || !yes.safeParse(claims['email_verified']).success)
    throw new AppError('sign_on_email_unverified');
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : '');
  return {
    subject: `${issuer} ${subject}`,
    email: email.data.toLowerCase(),
    name: text('name') || text('preferred_username') || text('nickname'),
    groups: groupsIn(groupsClaim === '' ? undefined : claims[groupsClaim]),
  };
}

/** A list of names, or one name. */
function groupsIn(value: unknown): string[] | undefined {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return undefined;
  return value.filter((each) => typeof each === 'string').slice(0, MOST_GROUPS);
}
