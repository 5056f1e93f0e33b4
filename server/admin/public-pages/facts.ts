// What the pages are made from; `server/app/public-pages.ts` joins the functions.
import type { Announcement } from '#contract/admin/announcements.ts';
import type { Question } from '#contract/admin/faq.ts';
import type { Measuring } from '#contract/admin/measured.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { PlanOffer } from '#contract/money/plans.ts';
import type { PublicCatalogue } from '#server/admin/public-model.ts';
import type { PricePoint } from '#server/money/price-book/price-history.ts';

/** Without its group, which may be none of a visitor's. */
export type PublicPlan = Omit<PlanOffer, 'bought' | 'methods' | 'group' | 'group_ratio' | 'limit_per_user'>;

export interface PageFacts {
  readonly catalogue: () => Promise<PublicCatalogue>;
  /** Plans on sale to everybody. */
  readonly plans: () => Promise<readonly PublicPlan[]>;
  /** Price of a dollar of balance by currency; empty while nothing can be paid online. */
  readonly topUpPrices: () => StatusView['top_up_prices'];
  readonly questions: () => Promise<readonly Question[]>;
  readonly announcements: () => Promise<readonly Announcement[]>;
  /** Undefined: nothing is measured. */
  readonly measuring?: Pick<Measuring, 'measuredOf' | 'modelsMeasured' | 'siteMeasured' | 'now'> | undefined;
  readonly history: (model: string, group: string, newest: number | undefined) => Promise<PricePoint[]>;
}
