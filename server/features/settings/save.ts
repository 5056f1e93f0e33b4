// Saving one option, giving one its default again, and the reset of the model ratios. The rules stand in
// server/settings/rules.ts; every node has the new value within seconds.
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input, Output } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import type { options } from '#contract/options.ts';
import { isSettingKey, type SettingKey } from '#contract/settings.ts';
import { cleanedContent } from '#contract/site-content.ts';
import type { SettingsDependencies } from './dependencies.ts';
import { requireStepUp } from './step-up.ts';
import { auditedOption } from './view.ts';

export function saveOption(dependencies: SettingsDependencies) {
  return async (
    { body }: Input<typeof options.save>,
    context: RequestContext,
  ): Promise<Output<typeof options.save>> => {
    const key = knownKey(body.key);
    await audited(dependencies, context, 'option.save', key, () =>
      dependencies.settings.set(key, body.value, callerOf(context).id, context.language),
    );
    // The rules have kept it without this; the operator is told.
    const { removed } = cleanedContent(key, body.value);
    return removed.length > 0 ? { removed } : null;
  };
}

export function resetOption(dependencies: SettingsDependencies) {
  return async ({ body }: Input<typeof options.reset>, context: RequestContext): Promise<null> => {
    await resetKey(dependencies, context, knownKey(body.key));
    return null;
  };
}

/** The operator's own ratios go; the built-in list prices those models again. */
export function resetRatios(dependencies: SettingsDependencies) {
  return async (_: unknown, context: RequestContext): Promise<null> => {
    await resetKey(dependencies, context, 'ModelRatio');
    return null;
  };
}

export async function resetKey(
  dependencies: SettingsDependencies,
  context: RequestContext,
  key: SettingKey,
): Promise<void> {
  await audited(dependencies, context, 'option.reset', key, () =>
    dependencies.settings.reset(key, callerOf(context).id, context.language),
  );
}

export function knownKey(key: string): SettingKey {
  if (!isSettingKey(key)) throw new AppError('unknown_setting', { key });
  return key;
}

export async function audited(
  { settings }: SettingsDependencies,
  context: RequestContext,
  action: string,
  key: SettingKey,
  change: () => Promise<void>,
): Promise<void> {
  requireStepUp(key, context);
  const before = auditedOption(settings.current, key);
  await change();
  await context.audit(action, `option:${key}`, before, auditedOption(settings.current, key));
}
