/** What was used, and where it went: used = cost + certain margin + used with no known cost. The four always add up. */
import { useTranslation } from 'react-i18next';
import { marginShare, type MarginFigures } from '#contract/money/margins.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { partsText } from '#web/ui/format/parts.ts';
import { percent } from './columns.tsx';
import classes from './margins.module.css';

export function MarginEquation({ total }: { total: MarginFigures }) {
  const { t } = useTranslation('margins');
  const display = useDisplay();
  const { revenue, cost, fees, margin, unknown_revenue: unknown, unknown_calls: calls } = total;
  const shown = partsText(revenue, { cost: cost + fees, margin, unknown }, display);
  const share = marginShare(total);
  const isUnknown = total.calls > 0 && calls === total.calls;
  const terms = [
    { sign: '', value: shown.total, label: t('equation.used') },
    {
      sign: '=',
      value: isUnknown && fees === 0 ? t('unknown') : shown.parts.cost,
      label: fees > 0 ? t('equation.costWithFees', { fees: renderQuota(fees, display) }) : t('equation.cost'),
    },
    {
      sign: '+',
      value: isUnknown && fees === 0 ? t('unknown') : shown.parts.margin,
      label: share === null ? t('equation.margin') : t('equation.marginShare', { share: percent(share) }),
      isLoss: margin < 0,
    },
    {
      sign: '+',
      value: shown.parts.unknown,
      label: t('equation.unknown', { count: calls, calls: groupDigits(calls) }),
    },
  ];
  return (
    <p className={`flex ${classes.equation}`} aria-label={t('equation.label')} role="math">
      {terms.map(({ sign, value, label, isLoss }) => (
        <span key={label} className="inline8">
          {sign === '' ? null : <span className={classes.sign}>{sign}</span>}
          <span>
            <b className={`title tabular ${isLoss ? 'danger' : ''}`}>{value}</b>
            <small className="note block">{label}</small>
          </span>
        </span>
      ))}
    </p>
  );
}
