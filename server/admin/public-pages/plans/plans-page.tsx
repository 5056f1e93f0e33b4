/** @jsxImportSource hono/jsx */
// /plans: plans and top-up prices before one signs in.
import type { Text } from '#contract/language.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import type { PublicPage } from '#server/admin/public-pages/page.ts';
import { Sheet } from '#server/admin/public-pages/parts.tsx';
import { PlanTable, TopUp } from './plans.tsx';

const WORDS = {
  title: { zh: '套餐与充值', en: 'Plans and top-up' },
  plans: { zh: '套餐', en: 'Plans' },
  topUp: { zh: '充值', en: 'Top-up' },
  none: { zh: '目前没有在售的套餐。', en: 'No plan is on sale at the moment.' },
  lead: {
    zh: '余额预付，按量扣费，用多少付多少；套餐在有效期内提供固定额度。',
    en: 'A prepaid balance is billed by use; a plan includes a fixed quota for a period.',
  },
} satisfies Record<string, Text>;

export function plansPage(facts: PageFacts): PublicPage {
  return {
    matches: (path) => path === '/plans',
    listed: () => ['/plans'],
    async render(asked) {
      const { language, site } = asked;
      const plans = await facts.plans();
      return {
        body: pageHtml({
          asked,
          title: WORDS.title[language],
          description: `${site.name}: ${WORDS.lead[language]}`,
          current: 'plans',
          children: (
            <>
              <div class="page-head">
                <h1>{WORDS.title[language]}</h1>
                <p class="lead">{WORDS.lead[language]}</p>
              </div>
              <Sheet title={WORDS.topUp[language]}>
                <TopUp prices={facts.topUpPrices()} site={site} language={language} />
              </Sheet>
              <Sheet title={WORDS.plans[language]}>
                {plans.length === 0 ? (
                  <p class="block-text">{WORDS.none[language]}</p>
                ) : (
                  <PlanTable plans={plans} site={site} language={language} />
                )}
              </Sheet>
            </>
          ),
        }),
      };
    },
  };
}
