// The refusal of a change for a suspended organization.
import { AppError } from '#contract/errors.ts';

/** `reason`: for its members; blank where there is none, and for those who do not belong to it. */
export const organizationSuspended = (reason = ''): AppError =>
  new AppError('organization_suspended', { reason: reason === '' ? '' : ` (${reason})` });
