/** How a number of the sentence is made, below it, with the channels behind it. Esc closes it. */
import { ActionIcon } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { paidText, shownMoney } from './money-words.ts';
import type { Equation } from './search.ts';
import classes from './overview.module.css';

interface EquationProps {
  data: OperatorOverview;
  name: Equation;
  onClose: () => void;
}

export function EquationView({ data, name, onClose }: EquationProps) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  useHotkeys([['Escape', onClose]]);
  const { money } = data;
  const shown = shownMoney(money, display);
  const none = renderQuota(0, display, 2);
  const { used = none, cost = none, margin = none, unknown = none } = shown;
  const nothing = t('month.nothing');
  const terms: readonly (readonly [sign: string, amount: string, label: string])[] =
    name === 'came'
      ? [
          ['', paidText(money.came_in, i18n.language) ?? nothing, t('equation.came')],
          ['−', paidText(money.refunded, i18n.language) ?? nothing, t('equation.refunded')],
        ]
      : [
          ['', used, t('equation.usedBy')],
          ['−', unknown, t('equation.unknown')],
          ['−', cost, t('equation.ofRest')],
          ['=', margin, t('equation.margin')],
        ];
  const isUnknown = name === 'unknown';
  const rows: readonly { id: number; name: string; used: number; cost?: number; margin?: number }[] =
    isUnknown ? data.unknown_channels : data.margin_channels;
  return (
    <section className={classes.equation} aria-label={t(`equation.${name}`)}>
      <header className="row8">
        <h2>{t(`equation.${name}`)}</h2>
        <span className="note">
          {data.from === data.to ? data.from : `${data.from} – ${data.to}`} ·{' '}
          {t('equation.calls', { count: money.calls })}
          {money.price_version > 0 ? ` · ${t('equation.version', { version: money.price_version })}` : ''}
        </span>
        <ActionIcon className="push-right" aria-label={t('equation.close')} onClick={onClose}>
          <IconX size={15} stroke={1.6} />
        </ActionIcon>
      </header>
      <p className={classes.terms}>
        {terms.map(([sign, amount, label]) => (
          <span key={label} className="inline8">
            {sign}
            <span>
              <b className="title tabular">{amount}</b>
              <small className="note block">{label}</small>
            </span>
          </span>
        ))}
      </p>
      {name === 'came' ? (
        <Link to="/order">{t('equation.ordersPage')}</Link>
      ) : (
        <>
          <table className={classes.table}>
            <caption className="hidden">
              {t(isUnknown ? 'equation.unknownChannels' : 'equation.channels')}
            </caption>
            <thead>
              <tr>
                <th scope="col">{t('equation.channel')}</th>
                <th scope="col">{t('equation.used')}</th>
                {isUnknown ? null : <th scope="col">{t('equation.cost')}</th>}
                {isUnknown ? null : <th scope="col">{t('equation.margin')}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{row.name}</th>
                  <td>{renderQuota(row.used, display, 2)}</td>
                  {row.cost !== undefined && row.margin !== undefined ? (
                    <>
                      <td>{renderQuota(row.cost, display, 2)}</td>
                      <td className={row.margin < 0 ? 'danger' : undefined}>
                        {renderQuota(row.margin, display, 2)}
                      </td>
                    </>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
          <Link to="/margins" search={data.from === data.to ? { day: data.from } : {}}>
            {t('equation.margins')}
          </Link>
        </>
      )}
    </section>
  );
}
