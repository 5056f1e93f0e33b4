/** The charge in prices: count × dollars, group and every other factor included. The ratios behind them are one switch away. */
import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LogView } from '#contract/admin/logs.ts';
import type { TokenClass } from '#contract/money/token-classes.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import { useStoredFlag } from '#web/ui/preferences/stored-flag.ts';
import type { Charge } from './charge.ts';
import { COLOURS, plain, RatioEquation, Result, Rounding, Sign, Term, usePlanCaption } from './equation.tsx';
import { printedCharge, quotaMoney, type PrintedTerm } from './printed-prices.ts';
import classes from './equation.module.css';

/** Prices first; the choice is kept in the browser. */
export const useRatiosFirst = () => useStoredFlag('charge-ratios', false);

export function EquationSwitch({ ratios, onChange }: { ratios: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation('logs');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('charge.shownAs')}
      value={ratios ? 'ratios' : 'prices'}
      onChange={(value) => onChange(value === 'ratios')}
      data={[
        { value: 'prices', label: t('charge.asPrices') },
        { value: 'ratios', label: t('charge.asRatios') },
      ]}
    />
  );
}

export function Equation({ charge, row, ratios }: { charge: Charge; row: LogView; ratios: boolean }) {
  return ratios ? <RatioEquation charge={charge} row={row} /> : <PriceEquation charge={charge} row={row} />;
}

function useTermWords(charge: Charge) {
  const { t } = useTranslation('logs');
  const isToken = (name: string): name is TokenClass => Object.hasOwn(COLOURS, name);
  return {
    captionOf: ({ name, isSurcharge }: PrintedTerm): string => {
      if (isSurcharge) return name;
      if (isToken(name)) return t(`charge.name.${name}`).toLowerCase();
      return [t('charge.price'), charge.resolution].filter((word) => word !== '').join(' · ');
    },
    priceOf: ({ price, unit }: PrintedTerm): string =>
      unit === 'each' ? price : price + t(`charge.per.${unit}`),
    colourOf: ({ name, isSurcharge }: PrintedTerm) =>
      isSurcharge ? undefined : COLOURS[isToken(name) ? name : 'input'],
  };
}

function PriceEquation({ charge, row }: { charge: Charge; row: LogView }) {
  const { t } = useTranslation('logs');
  const { captionOf, priceOf, colourOf } = useTermWords(charge);
  return (
    <>
      <div className={classes.equation} role="math" aria-label={t('charge.equation')}>
        {printedCharge(charge).terms.map((term, index) => (
          <span key={term.name} className={classes.joined}>
            {index > 0 ? <Sign>+</Sign> : null}
            <Term
              value={`${groupDigits(term.count)} × ${priceOf(term)}`}
              caption={captionOf(term)}
              colour={colourOf(term)}
            />
          </span>
        ))}
        <Result charge={charge} />
      </div>
      <Included charge={charge} row={row} />
    </>
  );
}

/** Which factors are in the prices. */
function Included({ charge, row }: { charge: Charge; row: LogView }) {
  const { t } = useTranslation('logs');
  const factors = [
    { name: t('charge.groupRatio', { group: row.group }), value: charge.groupRatio },
    ...charge.factors.map(({ name, value }) => ({ name: t(`charge.factor.${name}`), value })),
  ].filter(({ value }) => value !== 1);
  if (factors.length === 0) return null;
  const list = factors.map(({ name, value }) => `${name} × ${plain(value)}`).join(' · ');
  return <p className="top4 caption">{t('charge.included', { factors: list })}</p>;
}

/** The same terms as lines of a receipt: the equation on the phone. */
export function Receipt({ charge, row }: { charge: Charge; row: LogView }) {
  const { t } = useTranslation('logs');
  const { captionOf, priceOf } = useTermWords(charge);
  const planCaption = usePlanCaption();
  const { terms } = printedCharge(charge);
  return (
    <>
      <dl className={classes.receipt}>
        {terms.map((term) => (
          <div key={term.name}>
            <dt>{captionOf(term)}</dt>
            <dd>
              {groupDigits(term.count)} × {priceOf(term)}
            </dd>
          </div>
        ))}
        <div data-total>
          <dt>{t('charge.total')}</dt>
          <dd>{quotaMoney(charge, charge.quota)}</dd>
        </div>
        {charge.parts ? (
          <>
            <div>
              <dt>{planCaption(charge.parts)}</dt>
              <dd>{quotaMoney(charge, charge.parts.plan)}</dd>
            </div>
            {charge.parts.wallet === 0 ? null : (
              <div>
                <dt>{t('charge.wallet', { quota: groupDigits(charge.parts.wallet) })}</dt>
                <dd>{quotaMoney(charge, charge.parts.wallet)}</dd>
              </div>
            )}
          </>
        ) : null}
      </dl>
      <Included charge={charge} row={row} />
      <p className="caption">
        <Rounding charge={charge} />
      </p>
    </>
  );
}
