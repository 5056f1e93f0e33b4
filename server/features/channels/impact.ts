// Models that no other enabled channel of a group serves: they stop working if these channels are disabled.
import type { Handler } from '#server/features/context.ts';
import type { channels } from '#contract/channels.ts';
import type { ChannelDependencies } from './dependencies.ts';

export function impactOfDisabling(dependencies: ChannelDependencies): Handler<typeof channels.impact> {
  return async ({ body }) => {
    const enabled = await dependencies.store.db
      .selectFrom('abilities')
      .select(['group', 'model', 'channel_id'])
      .where('enabled', '=', 1)
      .execute();
    const going = new Set(body.ids);
    const staying = new Set(
      enabled.filter((each) => !going.has(each.channel_id)).map((each) => `${each.group}\n${each.model}`),
    );
    const lost = new Map<string, Set<string>>();
    for (const { group, model, channel_id } of enabled) {
      if (!going.has(channel_id) || staying.has(`${group}\n${model}`)) continue;
      lost.set(group, (lost.get(group) ?? new Set()).add(model));
    }
    return [...lost]
      .map(([group, models]) => ({ group, models: [...models].sort() }))
      .sort((left, right) => left.group.localeCompare(right.group));
  };
}
