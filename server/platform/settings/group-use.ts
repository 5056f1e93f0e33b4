// A group that users are in keeps its ratio: every call of these users would be refused.
import { AppError } from '#contract/errors.ts';
import { SETTINGS, type SettingKey, type Settings } from '#contract/settings.ts';
import type { Store } from '#server/platform/store/store.ts';

/** `text` is the new value of the option. */
export async function refuseGroupsInUse(
  { store, settings }: { store: Pick<Store, 'db'>; settings: { readonly current: Settings } },
  key: SettingKey,
  text: string,
): Promise<void> {
  if (key !== 'GroupRatio') return;
  const next = ratiosOf(text);
  // The rules of the option refuse to remove `default`.
  const removed = Object.keys(settings.current.GroupRatio).filter(
    (group) => next && group !== 'default' && !Object.hasOwn(next, group),
  );
  if (removed.length === 0) return;
  const row = await store.db
    .selectFrom('users')
    .select(['group', (column) => column.fn.countAll<number>().as('users')])
    .where('group', 'in', removed)
    .where('deleted_at', 'is', null)
    .groupBy('group')
    .orderBy('group')
    .executeTakeFirst();
  if (row) throw new AppError('group_in_use', { group: row.group, users: row.users }, { field: key });
}

/** Undefined when the text is not valid; saving it is refused with the reason. */
function ratiosOf(text: string): Record<string, number> | undefined {
  try {
    return SETTINGS.GroupRatio.parse(text);
  } catch {
    return undefined;
  }
}
