// What a user can buy, and what the user has.
import type { Handler } from '#server/admin/context.ts';
import { accountOf } from '#server/admin/context.ts';
import type { plans } from '#contract/money/plans.ts';
import type { PlanDependencies } from './dependencies.ts';
import { timesBought, viewsOf } from './read.ts';
import { planBaseOf, type Plan } from './view.ts';

const ENDED_SHOWN = 20;

const onSale = ({ db }: Pick<PlanDependencies['store'], 'db'>): Promise<Plan[]> =>
  db.selectFrom('plans').selectAll().where('on_sale', '=', 1).orderBy('sort_order').orderBy('id').execute();

/** What a visitor reads. */
export const publicPlans = async (store: Pick<PlanDependencies['store'], 'db'>) =>
  (await onSale(store)).map(planBaseOf);

export function listOffers({ store, settings, payments }: PlanDependencies): Handler<typeof plans.offers> {
  return async (_, context) => {
    const account = accountOf(context);
    const rows = await onSale(store);
    const bought = await timesBought(
      store.db,
      account.id,
      rows.map(({ id }) => id),
    );
    const methods = payments.providers.methods();
    const { GroupRatio } = settings.current;
    const ratioOf = (group: string) => (Object.hasOwn(GroupRatio, group) ? GroupRatio[group] : undefined);
    return rows.map((plan) => ({
      ...planBaseOf(plan),
      group_ratio: ratioOf(plan.group) ?? ratioOf(account.group) ?? 1,
      methods:
        plan.price_minor === 0
          ? []
          : methods.filter(({ currency }) => currency === plan.currency).map(({ name }) => name),
      bought: bought.get(plan.id) ?? 0,
    }));
  };
}

export function readOwn({ store, ledger }: PlanDependencies): Handler<typeof plans.own> {
  return async (_, context) => {
    const { id } = accountOf(context);
    await ledger.writeHolds(id);
    const own = store.db.selectFrom('subscriptions').selectAll().where('user_id', '=', id);
    const [user, active, ended] = await Promise.all([
      store.db.selectFrom('users').select('wallet_first').where('id', '=', id).executeTakeFirstOrThrow(),
      own.where('status', '=', 'active').orderBy('ends_at').orderBy('id').execute(),
      own.where('status', '=', 'ended').orderBy('id', 'desc').limit(ENDED_SHOWN).execute(),
    ]);
    return {
      wallet_first: user.wallet_first === 1,
      subscriptions: await viewsOf(store.db, [...active, ...ended]),
    };
  };
}
