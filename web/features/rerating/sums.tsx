/** What a run changes, by user, model or day. */
import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RERATE_LIST_ROWS, type RerateDetail } from '#contract/money/rerating.ts';
import { Quota } from '#web/ui/format/amount.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import classes from './rerating.module.css';

type By = 'byUser' | 'byModel' | 'byDay';

interface SumLine {
  key: string;
  name: string;
  calls: number;
  before: number;
  after: number;
}

function linesOf(run: RerateDetail, by: By): SumLine[] {
  if (by === 'byUser')
    return run.by_user.map(({ user_id, username, ...sum }) => ({
      ...sum,
      key: String(user_id),
      name: username || `#${user_id}`,
    }));
  if (by === 'byModel')
    return run.by_model.map(({ model_name, ...sum }) => ({ ...sum, key: model_name, name: model_name }));
  return run.by_day.map(({ day, ...sum }) => ({
    ...sum,
    key: String(day),
    name: new Date(day * 1000).toISOString().slice(0, 10),
  }));
}

const HEADS = { byUser: 'column.user', byModel: 'column.model', byDay: 'column.day' } as const;

export function Sums({ run }: { run: RerateDetail }) {
  const { t } = useTranslation('rerating');
  const [by, setBy] = useState<By>('byUser');
  const lines = linesOf(run, by);
  if (run.state === 'discarded') return null;
  if (lines.length === 0) return run.state === 'rating' ? null : <p className="soft">{t('detail.none')}</p>;
  return (
    <section className={`stack8 start ${classes.sums}`}>
      <SegmentedControl
        aria-label={t('detail.by')}
        value={by}
        onChange={(value) => setBy(value)}
        data={(['byUser', 'byModel', 'byDay'] as const).map((value) => ({
          value,
          label: t(`detail.${value}`),
        }))}
      />
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t(`detail.${by}`)}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t(HEADS[by])}</th>
              <th scope="col">{t('column.calls')}</th>
              <th scope="col">{t('column.before')}</th>
              <th scope="col">{t('column.after')}</th>
              <th scope="col">{t('column.difference')}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ key, name, calls, before, after }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{groupDigits(calls)}</td>
                <td>
                  <Quota quota={before} plain />
                </td>
                <td>
                  <Quota quota={after} plain />
                </td>
                <td>
                  <Quota quota={after - before} plain />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {by !== 'byDay' && lines.length === RERATE_LIST_ROWS ? (
        <p className="soft">{t('detail.limited')}</p>
      ) : null}
    </section>
  );
}
