/**
 * The columns of the jobs. When space goes the node leaves first, then the duration; on one node its name would be the same in
 * every row, and only the opened row names it.
 */
import type { useTranslation } from 'react-i18next';
import type { JobView } from '#contract/operating/jobs.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Every, JobName, JobStatus, NextRun, Took } from './cells.tsx';
import { RunButton } from './run-button.tsx';
import classes from './jobs.module.css';

type Translate = ReturnType<typeof useTranslation<'jobs'>>['t'];

export function jobColumns(t: Translate, hasManyNodes: boolean): GridColumn<JobView>[] {
  const node: GridColumn<JobView> = {
    id: 'node',
    header: t('column.node'),
    width: 120,
    leaves: 1,
    cell: (job) =>
      job.node ? (
        <span className={classes.dim} title={job.node}>
          {job.node}
        </span>
      ) : (
        <Empty />
      ),
    skeleton: 'text',
  };
  return [
    {
      id: 'job',
      header: t('column.job'),
      minWidth: 200,
      fixed: true,
      cell: (job) => <JobName job={job} />,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('column.state'),
      width: 150,
      fixed: true,
      cell: (job) => <JobStatus job={job} />,
      skeleton: 'status',
    },
    {
      id: 'every',
      header: t('column.every'),
      width: 72,
      leaves: 3,
      cell: (job) => <Every job={job} />,
      skeleton: 'text',
    },
    {
      id: 'last-run',
      header: t('column.lastRun'),
      width: 124,
      cell: (job) => <Moment timestamp={job.finished_at} />,
      skeleton: 'text',
    },
    {
      id: 'duration',
      header: t('column.duration'),
      width: 64,
      align: 'right',
      leaves: 2,
      cell: (job) => <Took job={job} />,
      skeleton: 'number',
    },
    {
      id: 'next-run',
      header: t('column.nextRun'),
      width: 128,
      cell: (job) => <NextRun job={job} />,
      skeleton: 'text',
    },
    ...(hasManyNodes ? [node] : []),
    {
      id: 'actions',
      header: t('column.actions'),
      headerHidden: true,
      width: 106,
      fixed: true,
      align: 'right',
      cell: (job) => <RunButton job={job} />,
      skeleton: 'none',
    },
  ];
}
