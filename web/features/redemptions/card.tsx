/** A code on the phone: name and state, code and amount, who redeemed it or when it ends. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { REDEMPTION_NEVER_EXPIRES, type RedemptionView } from '#contract/money/redemptions.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { ExpiryCell, KeyCell, RedeemedCell, StateCell, UsedByCell } from './cells.tsx';

export function CodeCard({ code, menu }: { code: RedemptionView; menu: ReactNode }) {
  const { t } = useTranslation('redemptions');
  return (
    <>
      <CardHead name={code.name}>
        <StateCell code={code} />
        {menu}
      </CardHead>
      <CardLine>
        <KeyCell code={code} />
        <b>
          <Quota quota={code.quota} />
        </b>
      </CardLine>
      {code.used_user_id > 0 ? (
        <CardLine>
          <UsedByCell code={code} />
          <RedeemedCell code={code} />
        </CardLine>
      ) : null}
      {code.used_user_id === 0 && code.expired_time !== REDEMPTION_NEVER_EXPIRES ? (
        <CardLine>
          <span className="muted">{t('column.expires')}</span>
          <ExpiryCell code={code} />
        </CardLine>
      ) : null}
    </>
  );
}
