// The overview: facts of the operator's day, and of a customer's account. Read from kept sums, never by scanning the log.
import type { overview } from '#contract/admin/overview.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { callerOf, type Handlers } from '#server/admin/context.ts';
import { readChanges } from './changes.ts';
import { readChannels } from './channels.ts';
import type { OverviewDependencies } from './dependencies.ts';
import { readKeys } from './keys.ts';
import { readMoney } from './money.ts';
import { readOwed } from './owed.ts';
import { readRefused } from './refusals.ts';
import { readSpent } from './spent.ts';

export function createOverviewHandlers(dependencies: OverviewDependencies): Handlers<typeof overview> {
  const base = () => ({
    now: nowSeconds(dependencies),
    time_zone: dependencies.settings.current.SiteTimeZone,
  });
  return {
    async operator({ query: { day } }) {
      const [money, refused, channels, owed] = await Promise.all([
        readMoney(dependencies, day),
        readRefused(dependencies),
        readChannels(dependencies),
        readOwed(dependencies),
      ]);
      return {
        ...base(),
        money_zone: dependencies.settings.current.SiteTimeZone,
        ...money,
        refused,
        ...channels,
        owed,
      };
    },
    async self(_, context) {
      const caller = callerOf(context);
      const [spent, keys, changes] = await Promise.all([
        readSpent(dependencies, caller.id),
        readKeys(dependencies, caller.id),
        readChanges(dependencies, caller),
      ]);
      return { ...base(), ...spent, ...keys, changes };
    },
  };
}
