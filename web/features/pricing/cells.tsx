/** Cells of the price list. Decimals line up, the output price is bold with a small logarithmic bar. */
import { Tooltip } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Empty } from '#web/ui/badge/empty.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { isPricedAsAnswered } from '#contract/money/pricing.ts';
import type { PricedModel } from './models.ts';
import { callPrice, MONEY_SIGN, paddingZeros, priceDigits, tokenPrice, type PriceUnit } from './unit.ts';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import classes from './pricing.module.css';

interface PriceProps {
  value: number;
  unit: PriceUnit;
  strong?: boolean;
  /** Of its column, so that the points line up. */
  decimals?: number | undefined;
  /** What is counted; it stands where other prices have more decimals, so that the points still line up. */
  per?: string | undefined;
}

export function Price({ value, unit, strong, decimals = 0, per }: PriceProps) {
  const digits = priceDigits(value, unit.money);
  return (
    <span className={classes.price} data-strong={strong || undefined}>
      <i>{MONEY_SIGN[unit.money]}</i>
      {digits}
      <span className={classes.after}>
        <s aria-hidden>{paddingZeros(digits, decimals)}</s>
        {per ? <small>{per}</small> : null}
      </span>
    </span>
  );
}

export function ModelCell({ model }: { model: PricedModel }) {
  const { t } = useTranslation('pricing');
  return (
    <span className={`row6 shrink ${classes.model}`}>
      <VendorMark vendor={model.owner_by} />
      <span>{model.model_name}</span>
      <span className={classes.copy}>
        <CopyButton text={model.model_name} label={t('action.copyName', { model: model.model_name })} />
      </span>
    </span>
  );
}

export function TokenPriceCell({
  model,
  unit,
  decimals,
  part,
}: {
  model: PricedModel;
  unit: PriceUnit;
  decimals?: number | undefined;
  part: 'input' | 'cached';
}) {
  if (!model.perMillion || !model.isOpen) return <Empty />;
  return <Price value={tokenPrice(model.perMillion[part], unit)} unit={unit} decimals={decimals} />;
}

/** Logarithmic, from a tenth of a dollar to the highest price of the list. */
export function barShare(dollars: number, dearest: number): number {
  const low = 0.1;
  if (dollars <= low || dearest <= low) return dollars > 0 ? 0.06 : 0;
  return Math.max(0.06, Math.log(dollars / low) / Math.log(dearest / low));
}

interface OutputCellProps {
  model: PricedModel;
  unit: PriceUnit;
  group: string;
  dearest: number;
  decimals?: number | undefined;
}

export function OutputCell({ model, unit, group, dearest, decimals }: OutputCellProps) {
  const { t } = useTranslation('pricing');
  if (!model.isOpen) {
    const text = t('group.closed', { group, groups: model.enable_groups.join(' / ') });
    return (
      <Tooltip label={text}>
        <span className={classes.closed}>
          <IconLock size={13} stroke={1.6} aria-hidden />
          <span>{text}</span>
        </span>
      </Tooltip>
    );
  }
  if (isPricedAsAnswered(model)) return <span className="size12 muted nowrap">{t('billing.answered')}</span>;
  if (!model.perMillion) return <Empty />;
  const { output } = model.perMillion;
  return (
    <span className={classes.output}>
      <span className={classes.bar} aria-hidden>
        <span style={{ width: `${barShare(output, dearest) * 100}%` }} />
      </span>
      <Price value={tokenPrice(output, unit)} unit={unit} decimals={decimals} strong />
    </span>
  );
}

export function CallCell({
  model,
  unit,
  decimals,
  isNamed = false,
}: {
  model: PricedModel;
  unit: PriceUnit;
  decimals?: number | undefined;
  /** The word beside it says what is counted. */
  isNamed?: boolean;
}) {
  const { t } = useTranslation('pricing');
  if (model.perCall === undefined) return <Empty />;
  const per = model.price_unit === 'second' && !isNamed ? t('unit.perSecond') : undefined;
  const value = callPrice(model.perCall, unit);
  return <Price value={value} unit={unit} strong={model.isOpen} decimals={decimals} per={per} />;
}

const short = (value: number) => Number(value.toFixed(4)).toString();

export function RatioCell({ model }: { model: PricedModel }) {
  if (!model.perMillion) return <Empty />;
  return <span className="muted">{`${short(model.model_ratio)} × ${short(model.completion_ratio)}`}</span>;
}

export function contextText(tokens: number): string {
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(2))}M`;
  return `${Math.round(tokens / 1000)}k`;
}
