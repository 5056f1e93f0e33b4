// The models a user can call now: with a price, in an enabled channel of a group the user may use.
import type { users } from '#contract/admin/users.ts';
import { accountOf, type Handler } from '#server/admin/context.ts';
import { readOfferedModels } from '#server/platform/store/offered-models.ts';
import type { UserDependencies } from './dependencies.ts';
import { usableGroupNames } from './groups.ts';

export function usableModels({ store, settings, priceOf }: UserDependencies): Handler<typeof users.models> {
  return async (_, context) => {
    const groups = new Set(usableGroupNames(settings, accountOf(context).group));
    const rows = await readOfferedModels(store);
    const callable = rows.filter(
      // A model without a price would be offered here and refused at the call.
      ({ model, group }) => groups.has(group) && typeof priceOf(model, group) === 'object',
    );
    return [...new Set(callable.map(({ model }) => model))].sort();
  };
}
