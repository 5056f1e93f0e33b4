// The groups a user may use: those the operator offers and the user's own, with their price ratios.
import { callerOf, type RequestContext } from '#server/features/context.ts';
import type { Text } from '#contract/language.ts';
import type { UserDependencies } from './dependencies.ts';

const OWN_GROUP: Text = { zh: '用户分组', en: 'user group' };

export function usableGroups({ settings }: UserDependencies) {
  return (_: unknown, context: RequestContext): Record<string, { ratio: number; desc: string }> => {
    const { UserUsableGroups, GroupRatio } = settings.current;
    const own = callerOf(context).group;
    const descriptions = { [own]: OWN_GROUP[context.language], ...UserUsableGroups };
    return Object.fromEntries(
      Object.entries(descriptions).map(([group, desc]) => [group, { ratio: GroupRatio[group] ?? 1, desc }]),
    );
  };
}

/** Names only. */
export function usableGroupNames(settings: UserDependencies['settings'], ownGroup: string): string[] {
  return [...new Set([...Object.keys(settings.current.UserUsableGroups), ownGroup])];
}
