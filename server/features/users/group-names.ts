// The groups that exist: a group without a ratio could not be billed.
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';

export function requireGroup(settings: Pick<Settings, 'GroupRatio'>, group: string): string {
  if (!Object.hasOwn(settings.GroupRatio, group)) {
    throw new AppError('group_unknown', { group }, { field: 'group' });
  }
  return group;
}
