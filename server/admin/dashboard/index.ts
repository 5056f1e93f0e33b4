// The figures of the dashboard, read from the hourly sums that are written with every charge and from the log.
import type { Handlers } from '#server/admin/context.ts';
import { dashboard as declarations } from '#contract/admin/dashboard.ts';
import type { Store } from '#server/platform/store/store.ts';
import { usageOfChannels } from './channels.ts';
import { failuresOfAll, failuresOfSelf } from './failures.ts';
import { latencyOfAll, latencyOfSelf } from './latency.ts';
import { groupUsage, rankHolders, rankTokens, rankUsers } from './rank.ts';
import { usageOfAll, usageOfSelf } from './usage.ts';

export function createDashboardHandlers(store: Store): Handlers<typeof declarations> {
  return {
    all: usageOfAll(store),
    self: usageOfSelf(store),
    tokens: rankTokens(store),
    holders: rankHolders(store),
    groups: groupUsage(store),
    users: rankUsers(store),
    latency: latencyOfAll(store),
    latencySelf: latencyOfSelf(store),
    failures: failuresOfAll(store),
    failuresSelf: failuresOfSelf(store),
    channels: usageOfChannels(store),
  };
}
