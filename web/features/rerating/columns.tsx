/** The columns of the runs. When space goes, who made it leaves first, then the users, then the version. */
import type { useTranslation } from 'react-i18next';
import type { RerateRun } from '#contract/money/rerating.ts';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { RunName, RunRange, RunState } from './cells.tsx';

type Translate = ReturnType<typeof useTranslation<'rerating'>>['t'];

export function reratingColumns(t: Translate): GridColumn<RerateRun>[] {
  return [
    {
      id: 'run',
      header: t('column.run'),
      width: 156,
      fixed: true,
      cell: (run) => <RunName run={run} />,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('column.state'),
      width: 110,
      fixed: true,
      cell: (run) => <RunState run={run} />,
      skeleton: 'status',
    },
    {
      id: 'range',
      header: t('column.range'),
      minWidth: 270,
      cell: (run) => <RunRange run={run} />,
      skeleton: 'text',
    },
    {
      id: 'version',
      header: t('column.version'),
      width: 74,
      leaves: 3,
      align: 'right',
      cell: ({ version_id }) => version_id,
      skeleton: 'number',
    },
    {
      id: 'calls',
      header: t('column.calls'),
      width: 76,
      leaves: 5,
      align: 'right',
      cell: ({ calls }) => <Count value={calls} />,
      skeleton: 'number',
    },
    {
      id: 'users',
      header: t('column.users'),
      width: 68,
      leaves: 2,
      align: 'right',
      cell: ({ users }) => <Count value={users} />,
      skeleton: 'number',
    },
    {
      id: 'credit',
      header: t('column.credit'),
      width: 90,
      align: 'right',
      cell: ({ credit }) => <Quota quota={credit} />,
      skeleton: 'number',
    },
    {
      id: 'debit',
      header: t('column.debit'),
      width: 90,
      align: 'right',
      cell: ({ debit }) => <Quota quota={debit} />,
      skeleton: 'number',
    },
    {
      id: 'made',
      header: t('column.made'),
      width: 132,
      leaves: 4,
      cell: ({ created_at }) => <Moment timestamp={created_at} />,
      skeleton: 'text',
    },
    {
      id: 'by',
      header: t('column.by'),
      width: 110,
      leaves: 1,
      cell: ({ created_by_name }) => created_by_name,
      skeleton: 'text',
    },
  ];
}
