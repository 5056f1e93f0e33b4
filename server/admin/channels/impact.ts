// Models that stop working in a group if these channels are disabled, or get these models or groups: no enabled channel of the
// group serves them then.
import type { Handler } from '#server/admin/context.ts';
import type { channels } from '#contract/relay/channels.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import type { ChannelDependencies } from './dependencies.ts';

const pairOf = (group: string, model: string) => `${group}\n${model}`;

export function impactOfChange(dependencies: ChannelDependencies): Handler<typeof channels.impact> {
  return async ({ body }) => {
    const enabled = await dependencies.store.db
      .selectFrom('abilities')
      .select(['group', 'model', 'channel_id'])
      .where('enabled', '=', 1)
      .execute();
    const going = new Set(body.ids);
    const staying = new Set(
      enabled.filter((each) => !going.has(each.channel_id)).map(({ group, model }) => pairOf(group, model)),
    );
    for (const pair of served(enabled, body)) staying.add(pair);
    const lost = new Map<string, Set<string>>();
    for (const { group, model, channel_id } of enabled) {
      if (!going.has(channel_id) || staying.has(pairOf(group, model))) continue;
      lost.set(group, (lost.get(group) ?? new Set()).add(model));
    }
    return [...lost]
      .map(([group, models]) => ({ group, models: [...models].sort() }))
      .sort((left, right) => left.group.localeCompare(right.group));
  };
}

/** What the changed channels will serve; nothing if they are to be disabled. */
function served(
  enabled: readonly { group: string; model: string; channel_id: number }[],
  {
    ids,
    models,
    groups,
  }: { ids: readonly number[]; models?: string | undefined; groups?: string | undefined },
): string[] {
  if (models === undefined && groups === undefined) return [];
  return ids.flatMap((id) => {
    const own = enabled.filter((each) => each.channel_id === id);
    if (own.length === 0) return [];
    const nextGroups = groups === undefined ? own.map(({ group }) => group) : splitList(groups);
    const nextModels = models === undefined ? own.map(({ model }) => model) : splitList(models);
    return [...new Set(nextGroups)].flatMap((group) =>
      [...new Set(nextModels)].map((model) => pairOf(group, model)),
    );
  });
}
