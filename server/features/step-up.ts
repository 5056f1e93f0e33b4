// The step-up of endpoints where only some actions need it. A system access token needs none: it has no open browser.
import type { RequestContext } from '#server/features/context.ts';
import { AppError } from '#contract/errors.ts';
import { STEP_UP_SECONDS } from '#contract/security.ts';

export function requireStepUp({ via, verifiedAt }: RequestContext): void {
  if (via === 'session' && Math.floor(Date.now() / 1000) - verifiedAt >= STEP_UP_SECONDS)
    throw new AppError('step_up_required');
}

/** An amount of more than this many units of currency needs a step-up. */
const STEP_UP_UNITS = 100;

/** Before an administrator makes quota from nothing, or takes it. */
export function requireStepUpForQuota(context: RequestContext, quota: number, quotaPerUnit: number): void {
  if (Math.abs(quota) > STEP_UP_UNITS * quotaPerUnit) requireStepUp(context);
}
