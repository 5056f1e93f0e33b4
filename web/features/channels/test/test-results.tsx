/** The result list of both test dialogs: state, time, error; filtered by result. */
import { SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { responseGrade, responseText } from '#web/features/channels/list/grades.ts';
import classes from '#web/features/channels/dialogs/dialogs.module.css';

export const RESULT_FILTERS = ['all', 'passed', 'failed', 'slow'] as const;
export type ResultFilter = (typeof RESULT_FILTERS)[number];

export interface ResultRow {
  key: string;
  name: string;
  state: 'waiting' | 'running' | 'passed' | 'failed' | 'untestable';
  milliseconds: number;
  /** 0: not timed. */
  firstMilliseconds?: number;
  error: string;
  action?: ReactNode;
}

/** Slow results are those the list shows in yellow or red. */
function isSlow({ state, milliseconds }: ResultRow): boolean {
  const grade = responseGrade(milliseconds);
  return state === 'passed' && (grade === 'yellow' || grade === 'red');
}

export function filterResults(rows: readonly ResultRow[], filter: ResultFilter): ResultRow[] {
  return rows.filter((row) => {
    if (filter === 'all') return true;
    return filter === 'slow' ? isSlow(row) : row.state === filter;
  });
}

function firstText(milliseconds: number): string {
  const { digits, unit } = responseText(milliseconds);
  return milliseconds > 0 ? `${digits} ${unit}` : '';
}

const KINDS = {
  waiting: 'queued',
  running: 'running',
  passed: 'enabled',
  failed: 'failed',
  untestable: 'disabled',
} as const;

interface TestResultsProps {
  rows: readonly ResultRow[];
  filter: ResultFilter;
  onFilter: (filter: ResultFilter) => void;
}

export function TestResults({ rows, filter, onFilter }: TestResultsProps) {
  const { t } = useTranslation('channels');
  const shown = filterResults(rows, filter);
  const hasFirst = rows.some((row) => (row.firstMilliseconds ?? 0) > 0);
  return (
    <>
      <SegmentedControl
        aria-label={t('test.filter')}
        value={filter}
        onChange={(value) => onFilter(RESULT_FILTERS.find((each) => each === value) ?? 'all')}
        data={RESULT_FILTERS.map((value) => ({
          value,
          label: `${t(`test.filters.${value}`)} ${filterResults(rows, value).length}`,
        }))}
      />
      <div className={classes.results} tabIndex={0} role="region" aria-label={t('test.results')}>
        <table>
          <thead>
            <tr>
              <th>{t('column.name')}</th>
              <th>{t('test.result')}</th>
              {hasFirst ? <th data-align="right">{t('test.firstToken')}</th> : null}
              <th data-align="right">{t('column.response')}</th>
              <th>
                <span className="hidden">{t('column.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => {
              const { digits, unit } = responseText(row.milliseconds);
              return (
                <tr key={row.key}>
                  <td className={classes.resultName} title={row.name}>
                    {row.name}
                    {row.error ? <p className={classes.resultError}>{row.error}</p> : null}
                  </td>
                  <td>
                    <StatusBadge kind={KINDS[row.state]}>{t(`test.states.${row.state}`)}</StatusBadge>
                  </td>
                  {hasFirst ? <td data-align="right">{firstText(row.firstMilliseconds ?? 0)}</td> : null}
                  <td data-align="right" data-grade={responseGrade(row.milliseconds)}>
                    {row.state === 'passed' ? `${digits} ${unit}` : ''}
                  </td>
                  <td>{row.action}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {shown.length === 0 ? <p className={classes.none}>{t('test.none')}</p> : null}
      </div>
    </>
  );
}
