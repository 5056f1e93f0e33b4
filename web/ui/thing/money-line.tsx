/** Used − cost = margin as one line. An unknown cost says so and is never shown as nothing. */
import { useTranslation } from 'react-i18next';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { shownMoney, type MoneyParts } from '#web/ui/format/shown-money.ts';

export function MoneyLine({ money }: { money: MoneyParts }) {
  const { t } = useTranslation('thing');
  const display = useDisplay();
  const shown = shownMoney(money, display);
  const none = renderQuota(0, display, 2);
  const used = <b>{shown.used ?? none}</b>;
  // No call of known cost: neither a cost nor a margin can be said.
  if (money.unknown > 0 && money.unknown === money.used && money.cost === 0)
    return (
      <span className="small soft tabular">
        {t('money.used')} {used} − {t('money.costUnknown')}
      </span>
    );
  return (
    <span className="small soft tabular">
      {t('money.used')} {used} − {t('money.cost')} <b>{shown.cost ?? none}</b>
      {money.unknown > 0 ? (
        <>
          {' − '}
          <b>{shown.unknown}</b> {t('money.ofUnknown')}
        </>
      ) : null}
      {' = '}
      {t(money.unknown > 0 ? 'money.certainMargin' : 'money.margin')}{' '}
      <b className={money.margin < 0 ? 'danger' : undefined}>{shown.margin ?? none}</b>
    </span>
  );
}
