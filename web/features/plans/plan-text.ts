/** The words of a plan in the language of its reader. */
import { inLanguage } from '#contract/language.ts';
import type { PlanOffer, SubscriptionView } from '#contract/money/plans.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';

type Words = Pick<PlanOffer, 'name' | 'name_en' | 'description' | 'description_en'>;

export const nameOf = ({ name, name_en }: Pick<Words, 'name' | 'name_en'>) =>
  inLanguage(currentLanguage(), name, name_en);

export const descriptionOf = ({ description, description_en }: Omit<Words, 'name' | 'name_en'>) =>
  inLanguage(currentLanguage(), description, description_en);

export const boughtNameOf = (subscription: Pick<SubscriptionView, 'plan_name' | 'plan_name_en'>) =>
  inLanguage(currentLanguage(), subscription.plan_name, subscription.plan_name_en);
