/** What last week's calls would have cost under a draft, by model and group. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceImpact } from '#contract/money/price-book-views.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { PRICES_KEY } from './queries.ts';
import classes from './price-book.module.css';

const MOST = 50;

export function Impact({ id, revision }: { id: number; revision: number }) {
  const { t } = useTranslation('price-book');
  const [isWanted, setWanted] = useState(false);
  const impact = useQuery({
    queryKey: [...PRICES_KEY, 'impact', id, revision],
    queryFn: ({ signal }) => api.priceBook.impact({ params: { id }, signal }),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className={`stack8 ${classes.block}`} aria-busy={impact.isFetching}>
      <div className={`wrap8 ${classes.bar}`}>
        <h3>{t('impact.title')}</h3>
        <Button
          variant="default"
          loading={impact.isFetching}
          onClick={() => (isWanted ? void impact.refetch() : setWanted(true))}
        >
          {t(impact.data ? 'impact.again' : 'impact.run')}
        </Button>
      </div>
      <p className={classes.dim}>{t('impact.help')}</p>
      {impact.error ? <NoticeBox tone="danger">{errorMessage(impact.error)}</NoticeBox> : null}
      {impact.data ? <Figures impact={impact.data} /> : null}
    </section>
  );
}

function Figures({ impact }: { impact: PriceImpact }) {
  const { t } = useTranslation('price-book');
  const display = useDisplay();
  const money = (quota: number) => renderQuota(quota, display);
  const signed = (quota: number) => `${quota > 0 ? '+' : ''}${money(quota)}`;
  const sum = (name: 'running' | 'draft') => impact.parts.reduce((total, part) => total + part[name], 0);
  const [running, draft] = [sum('running'), sum('draft')];
  const changed = impact.parts.filter((part) => part.draft !== part.running);
  if (impact.calls === 0) return <p>{t('impact.none')}</p>;
  return (
    <>
      <p>
        {t('impact.sum', {
          running: money(running),
          draft: money(draft),
          difference: signed(draft - running),
        })}{' '}
        <span className={classes.dim}>
          {t('impact.read', { read: groupDigits(impact.read), calls: groupDigits(impact.calls) })}{' '}
          {impact.not_rated > 0 ? t('impact.notRated', { count: impact.not_rated }) : ''}
        </span>
      </p>
      {changed.length === 0 ? (
        <p className={classes.dim}>{t('impact.same')}</p>
      ) : (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label={t('impact.title')}>
            <thead>
              <tr>
                <th>{t('impact.model')}</th>
                <th>{t('impact.group')}</th>
                <th data-number data-wide>
                  {t('impact.calls')}
                </th>
                <th data-number>{t('impact.running')}</th>
                <th data-number>{t('impact.draft')}</th>
                <th data-number>{t('impact.difference')}</th>
              </tr>
            </thead>
            <tbody>
              {changed.slice(0, MOST).map((part) => (
                <tr key={`${part.model} ${part.group}`}>
                  <td className={classes.mono}>{part.model}</td>
                  <td>
                    <GroupTag group={part.group} />
                  </td>
                  <td data-number data-wide>
                    {groupDigits(part.calls)}
                  </td>
                  <td data-number>{money(part.running)}</td>
                  <td data-number>{money(part.draft)}</td>
                  <td data-number data-up={part.draft > part.running || undefined}>
                    {signed(part.draft - part.running)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {changed.length > MOST ? (
            <p className={classes.dim}>{t('change.more', { count: changed.length - MOST })}</p>
          ) : null}
        </div>
      )}
    </>
  );
}
