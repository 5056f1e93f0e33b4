// A group exists if it has a price ratio.
import { AppError } from '#contract/errors.ts';
import type { Settings } from '#contract/settings.ts';

export function requireGroup(settings: Pick<Settings, 'GroupRatio'>, group: string): string {
  if (!Object.hasOwn(settings.GroupRatio, group)) {
    throw new AppError('group_unknown', { group }, { field: 'group' });
  }
  return group;
}
