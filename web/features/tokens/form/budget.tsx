/** Day and month budget, each with its use so far and when it begins anew, by the days of the site. */
import { NumberInput, Tooltip } from '@mantine/core';
import { IconGauge } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { budgetWindow, type BudgetPeriod } from '#contract/money/budget-windows.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { useStatus } from '#web/api/status.ts';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { useNow } from '#web/ui/format/moment.tsx';
import { CURRENCY_SIGN, moneyToQuota, quotaToMoney, renderQuota } from '#web/ui/format/number.ts';
import { Section } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';
import classes from './form.module.css';

/** The library does not export the enum of its sources. */
const isTyped = (source: unknown) => source === 'event';

function BudgetField(props: {
  form: TokenForm;
  name: 'day_budget' | 'month_budget';
  unit: string;
  used: string | undefined;
  usedQuota: number;
  rest: string;
  /** Whose days these are. */
  note: string;
}) {
  const { form, name, unit } = props;
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const id = useId();
  const budget = form.values[name];
  const label = `${t('form.budget')} ${unit}`;
  return (
    <div>
      <NumberInput
        id={id}
        aria-label={label}
        value={budget === 0 ? '' : Number(quotaToMoney(budget, display).toFixed(6))}
        placeholder={t('form.noBudget')}
        error={form.errorOf(name)}
        onValueChange={({ floatValue }, { source }) => {
          if (isTyped(source)) form.set(name, moneyToQuota(floatValue ?? 0, display));
        }}
        min={0}
        max={quotaToMoney(Number.MAX_SAFE_INTEGER, display)}
        decimalScale={6}
        allowNegative={false}
        thousandSeparator=","
        leftSection={<span className="size12 muted nowrap">{CURRENCY_SIGN}</span>}
        rightSection={<span className="size12 muted nowrap">{unit}</span>}
        rightSectionWidth={76}
        rightSectionPointerEvents="none"
      />
      {props.used !== undefined && budget > 0 ? (
        <div className="top6">
          <QuotaBar used={props.usedQuota} total={budget} label={`${label}: ${props.used}`} />
          <div className={`flex8 tiny between top4 nowrap ${classes.meterLine}`}>
            <span>{props.used}</span>
            <Tooltip label={props.note}>
              <span>{props.rest}</span>
            </Tooltip>
          </div>
        </div>
      ) : null}
    </div>
  );
}

export function BudgetSection({ form, token }: { form: TokenForm; token: TokenView | undefined }) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const now = useNow();
  const zone = useStatus()?.time_zone ?? 'UTC';
  const endOf = (period: BudgetPeriod) => budgetWindow({ zone, left: [] }, period, now).end;
  const untilMidnight = endOf('day') - now;
  const zoneNote = t('form.days', { zone });
  const amount = (quota: number) => renderQuota(quota, display);
  return (
    <Section icon={<IconGauge size={16} stroke={1.6} />} title={t('form.budget')} fact={t('form.budgetFact')}>
      <div className="pair">
        <BudgetField
          form={form}
          name="day_budget"
          unit={t('form.perDay')}
          used={token && t('form.usedToday', { amount: amount(token.day_used) })}
          usedQuota={token?.day_used ?? 0}
          note={zoneNote}
          rest={t('form.resetsIn', {
            hours: Math.floor(untilMidnight / 3600),
            minutes: Math.floor((untilMidnight % 3600) / 60),
          })}
        />
        <BudgetField
          form={form}
          name="month_budget"
          unit={t('form.perMonth')}
          used={token && t('form.usedMonth', { amount: amount(token.month_used) })}
          usedQuota={token?.month_used ?? 0}
          note={zoneNote}
          rest={t('form.daysLeft', { count: Math.ceil((endOf('month') - now) / DAY_SECONDS) })}
        />
      </div>
    </Section>
  );
}
