// Saves one option, or resets one to its default. server/platform/settings/rules.ts has the rules; every node has the new value
// within seconds.
import type { AuditAction } from '#contract/admin/audit.ts';
import { callerOf, type RequestContext, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { options } from '#contract/options.ts';
import { isSettingKey, settingOf, type SettingKey } from '#contract/settings.ts';
import { cleanedContent } from '#server/platform/settings/site-content.ts';
import type { SaveOptions, SettingsDependencies } from './dependencies.ts';
import { refuseGroupsInUse } from '#server/platform/settings/group-use.ts';
import { requireStepUpFor } from './step-up.ts';

export function saveOption(dependencies: SettingsDependencies): Handler<typeof options.save> {
  return async ({ body }, context) => {
    const key = knownKey(body.key);
    requireStepUpFor(key, context);
    await refuseGroupsInUse(dependencies, key, body.value);
    await dependencies.settings.set(key, body.value, callerOf(context).id, {
      ...auditedSave(context, 'option.save'),
      basedOn: body.based_on,
    });
    // The rules have stored the content without these parts; the response lists them.
    const { removed } = cleanedContent(key, body.value);
    return removed.length > 0 ? { removed } : null;
  };
}

/** Adds to AllowedPrivateAddresses; the setting's schema refuses what can never be allowed. */
export function allowAddresses({
  settings,
}: Pick<SettingsDependencies, 'settings'>): Handler<typeof options.allowAddresses> {
  return async ({ body }, context) => {
    const key = 'AllowedPrivateAddresses';
    requireStepUpFor(key, context);
    // Another node may have added an address a moment ago.
    await settings.reload();
    const addresses = [...new Set([...settings.current[key], ...body.addresses])];
    const text = settingOf(key).format(addresses);
    await settings.set(key, text, callerOf(context).id, auditedSave(context, 'option.allow_address'));
    return [...settings.current[key]];
  };
}

export function resetOption(dependencies: SettingsDependencies): Handler<typeof options.reset> {
  return async ({ body }, context) => {
    await resetKey(dependencies, context, knownKey(body.key));
    return null;
  };
}

/** Deletes the operator's own ratios; the built-in list prices those models again. */
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
  requireStepUpFor(key, context);
  const setting = settingOf(key);
  await refuseGroupsInUse(dependencies, key, setting.format(setting.fallback));
  await dependencies.settings.reset(key, callerOf(context).id, auditedSave(context, 'option.reset'));
}

export function knownKey(key: string): SettingKey {
  if (!isSettingKey(key)) throw new AppError('unknown_setting', { key }, { field: key });
  return key;
}

/** One audit row for each option that changes: the named one and those that change with it. */
export function auditedSave(context: RequestContext, action: AuditAction): SaveOptions {
  return {
    language: context.language,
    async audit(transaction, changes) {
      for (const { key, before, after } of changes)
        await context.audit(transaction, action, `option:${key}`, { value: before }, { value: after });
    },
  };
}
