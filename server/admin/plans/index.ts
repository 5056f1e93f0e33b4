// Plans and subscriptions: offers and purchases for users, management for administrators.
import type { Handlers } from '#server/admin/context.ts';
import type { plans } from '#contract/money/plans.ts';
import { buyPlan, changePreference, changeRenewal, orderPlan } from './buy.ts';
import type { PlanDependencies } from './dependencies.ts';
import { changePlan, createPlan, listPlans } from './manage.ts';
import { listOffers, readOwn } from './own.ts';
import { planPage } from './page.ts';
import { endEarly, grantSubscription, listSubscriptions } from './subscriptions.ts';
import { removePlan } from './write-plan.ts';

export { advanceSubscriptions } from './advance.ts';
export { publicPlans } from './own.ts';

export function createPlanHandlers(dependencies: PlanDependencies): Handlers<typeof plans> {
  return {
    offers: listOffers(dependencies),
    own: readOwn(dependencies),
    buy: buyPlan(dependencies),
    order: orderPlan(dependencies),
    preference: changePreference(dependencies),
    autoRenew: changeRenewal(dependencies),
    list: listPlans(dependencies),
    page: planPage(dependencies),
    create: createPlan(dependencies),
    change: changePlan(dependencies),
    async remove({ params }, context) {
      const { db } = dependencies.store;
      await db.transaction().execute((transaction) => removePlan(context, transaction, params.id));
      return null;
    },
    subscriptions: listSubscriptions(dependencies),
    grant: grantSubscription(dependencies),
    end: endEarly(dependencies),
  };
}
