/** @jsxImportSource hono/jsx */
// Plans on sale, and what a dollar of balance costs.
import type { StatusView } from '#contract/admin/site.ts';
import { inLanguage, type Language, type Text } from '#contract/language.ts';
import type { PlanReset, PlanUnit } from '#contract/money/plan-schedule.ts';
import type { PublicPlan } from '#server/admin/public-pages/facts.ts';
import { amount, money } from '#server/admin/public-pages/format.ts';
import type { Site } from '#server/admin/public-pages/page.ts';

const WORDS = {
  name: { zh: '套餐', en: 'Plan' },
  price: { zh: '价格', en: 'Price' },
  lasts: { zh: '时长', en: 'Lasts' },
  gives: { zh: '额度', en: 'Includes' },
  models: { zh: '可用模型', en: 'Models' },
  every: { zh: '全部', en: 'all' },
  balance: { zh: '余额', en: 'of balance' },
  buy: { zh: '购买', en: 'Buy' },
  dollar: { zh: '每 $1 额度', en: 'Per $1 of balance' },
  from: { zh: '最低充值', en: 'Minimum top-up' },
  noPay: { zh: '本站目前不提供在线充值。', en: 'Online payment is not offered here at the moment.' },
  codes: { zh: '也可以用兑换码充值。', en: 'Redemption codes work as well.' },
} satisfies Record<string, Text>;

const UNITS: Record<PlanUnit, { zh: string; one: string; many: string }> = {
  day: { zh: '天', one: 'day', many: 'days' },
  month: { zh: '个月', one: 'month', many: 'months' },
};

const RESETS: Record<PlanReset, Text> = {
  never: { zh: '', en: '' },
  daily: { zh: '每天', en: 'a day' },
  weekly: { zh: '每周', en: 'a week' },
  monthly: { zh: '每月', en: 'a month' },
};

const MOST_MODELS = 6;

function priceOf(plan: PublicPlan, { settings }: Site, language: Language): string {
  const prices = [
    ...(plan.price_minor > 0
      ? [money(plan.price_minor / 10 ** plan.currency_digits, plan.currency, language)]
      : []),
    ...(plan.price_quota > 0
      ? [`${amount(plan.price_quota / settings.QuotaPerUnit)} ${WORDS.balance[language]}`]
      : []),
  ];
  return prices.join(language === 'zh' ? ' 或 ' : ' or ');
}

function lastsOf({ duration_count: count, duration_unit: unit }: PublicPlan, language: Language): string {
  const names = UNITS[unit];
  return `${count} ${language === 'zh' ? names.zh : count === 1 ? names.one : names.many}`;
}

function PlanRow({ plan, site, language }: { plan: PublicPlan; site: Site; language: Language }) {
  const name = inLanguage(language, plan.name, plan.name_en);
  const description = inLanguage(language, plan.description, plan.description_en);
  return (
    <tr>
      <th scope="row">
        {name}
        {description === '' ? null : <div class="note">{description}</div>}
      </th>
      <td data-label={WORDS.price[language]}>
        <b>{priceOf(plan, site, language)}</b>
      </td>
      <td data-label={WORDS.gives[language]}>
        {amount(plan.quota / site.settings.QuotaPerUnit)}{' '}
        <span class="muted">{RESETS[plan.reset][language]}</span>
      </td>
      <td class="nowrap" data-label={WORDS.lasts[language]}>
        {lastsOf(plan, language)}
      </td>
      <td class="soft wide-only">
        {plan.models.length === 0 ? WORDS.every[language] : plan.models.slice(0, MOST_MODELS).join(', ')}
        {plan.models.length > MOST_MODELS ? ` +${plan.models.length - MOST_MODELS}` : ''}
      </td>
      <td class="number">
        <a href="/plan" aria-label={`${WORDS.buy[language]}: ${name}`}>
          {WORDS.buy[language]}
        </a>
      </td>
    </tr>
  );
}

interface PlanTableProps {
  plans: readonly PublicPlan[];
  site: Site;
  language: Language;
}

export function PlanTable({ plans, site, language }: PlanTableProps) {
  return (
    <div class="scroll">
      <table class="models">
        <thead>
          <tr>
            <th scope="col">{WORDS.name[language]}</th>
            <th scope="col">{WORDS.price[language]}</th>
            <th scope="col">{WORDS.gives[language]}</th>
            <th scope="col">{WORDS.lasts[language]}</th>
            <th scope="col" class="wide-only">
              {WORDS.models[language]}
            </th>
            <th scope="col">
              <span class="hidden">{WORDS.buy[language]}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {plans.map((plan) => (
            <PlanRow plan={plan} site={site} language={language} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface TopUpProps {
  prices: StatusView['top_up_prices'];
  site: Site;
  language: Language;
}

export function TopUp({ prices, site, language }: TopUpProps) {
  if (prices.length === 0)
    return (
      <p class="block-text">
        {WORDS.noPay[language]} {WORDS.codes[language]}
      </p>
    );
  return (
    <div class="cells">
      {prices.map(({ currency, price }) => (
        <div>
          <div class="label">{WORDS.dollar[language]}</div>
          <div class="figure">{money(price, currency, language)}</div>
          <div class="note">{currency}</div>
        </div>
      ))}
      <div>
        <div class="label">{WORDS.from[language]}</div>
        <div class="figure">${site.settings.MinTopUp}</div>
        <div class="note">{WORDS.codes[language]}</div>
      </div>
    </div>
  );
}
