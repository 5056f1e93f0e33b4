/** Cells of the money tables: an unknown cost says so, and the row of sums shows what the line above the table shows. */
import { useTranslation } from 'react-i18next';
import type { ThingMoney } from '#contract/admin/thing-parts.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { shownMoney } from '#web/ui/format/shown-money.ts';

type Money = Pick<ThingMoney, 'used' | 'cost' | 'margin' | 'unknown' | 'calls' | 'unknown_calls'>;

/** No call of known cost, and no fee: nothing can be said. */
const isUnknown = ({ calls, unknown_calls, cost }: Money): boolean =>
  calls > 0 && unknown_calls === calls && cost === 0;

export function KnownAmount({ of, name }: { of: Money; name: 'cost' | 'margin' }) {
  const { t } = useTranslation('thing');
  if (isUnknown(of)) return <span className="warning">{t('money.unknown')}</span>;
  return (
    <>
      <span className={of[name] < 0 ? 'danger' : undefined}>
        <Quota quota={of[name]} decimals={2} />
      </span>
      {of.unknown_calls > 0 ? <small className="muted"> {t('money.part')}</small> : null}
    </>
  );
}

/** Of the calls of known cost. */
export function MarginPercent({ of: { used, unknown, margin } }: { of: Money }) {
  if (used - unknown <= 0) return <Empty />;
  const share = margin / (used - unknown);
  return (
    <span className={share < 0 ? 'danger' : undefined}>{(share * 100).toFixed(1).replace('-', '−')}%</span>
  );
}

/** Rounded together with the other parts, so that the row adds up. */
export function SumAmount({ of, name }: { of: Money; name: 'used' | 'cost' | 'margin' }) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  if (name !== 'used' && isUnknown(of)) return <span className="warning">{t('money.unknown')}</span>;
  return <>{shownMoney(of, display)[name] ?? renderQuota(0, display, 2)}</>;
}
