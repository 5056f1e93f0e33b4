// The groups a user may use: those the operator offers and the user's own, with their price ratios.
import type { users } from '#contract/admin/users.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import { groupDescription } from '#contract/admin/group-descriptions.ts';
import type { Text } from '#contract/language.ts';
import type { UserDependencies } from './dependencies.ts';

const OWN_GROUP: Text = { zh: '用户分组', en: 'user group' };

export function usableGroups({ settings }: UserDependencies): Handler<typeof users.selfGroups> {
  return (_, context) => {
    const { UserUsableGroups, GroupRatio } = settings.current;
    const own = accountOf(context).group;
    const descriptions = { [own]: OWN_GROUP[context.language], ...UserUsableGroups };
    return Object.fromEntries(
      Object.entries(descriptions).map(([group, desc]) => [
        group,
        { ratio: GroupRatio[group] ?? 1, desc: groupDescription(desc, context.language) },
      ]),
    );
  };
}

/** Names only. */
export function usableGroupNames(settings: UserDependencies['settings'], ownGroup: string): string[] {
  return [...new Set([...Object.keys(settings.current.UserUsableGroups), ownGroup])];
}
