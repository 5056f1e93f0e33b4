// Keeps what a sign-in was refused for, where the organization or its provider is at fault.
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { ProviderRefusal } from '#server/admin/oidc-refusal.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { SignOnDependencies } from './dependencies.ts';
import { noteTrouble, type Trouble } from './troubles.ts';

export const discoveryAddress = (issuer: string): string => `${issuer}/.well-known/openid-configuration`;

const REASONS: Partial<Record<ErrorCode, Trouble['reason']>> = {
  outside_unreachable: 'unreachable',
  sign_on_email_unverified: 'unverified',
  sign_on_domain_foreign: 'foreign',
};

function troubleIn(error: unknown): Pick<Trouble, 'reason' | 'detail'> | undefined {
  if (error instanceof ProviderRefusal)
    return error.reason === 'one' ? undefined : { reason: error.reason, detail: error.technical };
  const reason = error instanceof AppError ? REASONS[error.code] : undefined;
  return reason && { reason, detail: '' };
}

/** `address`: of the person, once the provider has said it. */
export async function noticing<Result>(
  { store }: Pick<SignOnDependencies, 'store'>,
  { organization_id, issuer }: Pick<Row<'sign_on_providers'>, 'organization_id' | 'issuer'>,
  address: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const trouble = troubleIn(error);
    if (trouble !== undefined) {
      const isOfPerson = trouble.reason === 'unverified' || trouble.reason === 'foreign';
      await noteTrouble(store, {
        organizationId: organization_id,
        reason: trouble.reason,
        subject: isOfPerson ? address : '',
        detail: trouble.reason === 'unreachable' ? discoveryAddress(issuer) : trouble.detail,
      });
    }
    throw error;
  }
}
