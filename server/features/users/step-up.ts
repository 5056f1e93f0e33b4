// Some actions are worth another proof of who sits at the browser, others of the same call are not. A program with a system
// access token has no browser to leave open.
import type { RequestContext } from '#server/features/context.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS } from '#contract/security.ts';
import { unixSeconds } from './management-dependencies.ts';

export function requireStepUp({ via, verifiedAt }: RequestContext): void {
  if (via === 'session' && unixSeconds() - verifiedAt >= STEP_UP_SECONDS)
    throw new AppError('step_up_required');
}
