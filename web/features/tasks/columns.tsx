/** The columns of the specification, with cost and prompt. Only administrators see user and channel. */
import type { useTranslation } from 'react-i18next';
import type { TaskView } from '#contract/relay/tasks.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { CostCell, DurationCell, IdCell, ProgressCell, StatusCell } from './cells.tsx';
import { actionOf, platformOf } from './state.ts';

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'tasks'>>['t'];
  admin: boolean;
  resultText: (row: TaskView) => string;
  onOpen: (row: TaskView) => void;
}

export function taskColumns({ t, admin, resultText, onOpen }: ColumnOptions): GridColumn<TaskView>[] {
  const columns: (GridColumn<TaskView> & { adminOnly?: true })[] = [
    {
      id: 'submitted',
      header: t('column.submitted'),
      width: 142,
      fixed: true,
      cell: (row) => <ExactMoment timestamp={row.submit_time} />,
      skeleton: 'text',
    },
    {
      id: 'finished',
      header: t('column.finished'),
      width: 142,
      leaves: 1,
      cell: (row) => (row.finish_time === 0 ? <Empty /> : <ExactMoment timestamp={row.finish_time} />),
      skeleton: 'text',
    },
    {
      id: 'duration',
      header: t('column.duration'),
      width: 78,
      align: 'right',
      leaves: 3,
      cell: (row) => <DurationCell row={row} />,
      skeleton: 'number',
    },
    {
      id: 'user',
      adminOnly: true,
      header: t('column.user'),
      width: 100,
      leaves: 7,
      cell: (row) => row.username || <Empty />,
      skeleton: 'text',
    },
    {
      id: 'channel',
      adminOnly: true,
      header: t('column.channel'),
      width: 62,
      leaves: 6,
      cell: (row) => (row.channel_id === 0 ? <Empty /> : `#${row.channel_id}`),
      skeleton: 'text',
    },
    {
      id: 'platform',
      header: t('column.platform'),
      width: 70,
      leaves: 2,
      cell: (row) => t(`platform.${platformOf(row)}`),
      skeleton: 'text',
    },
    {
      id: 'action',
      header: t('column.action'),
      width: 114,
      fixed: true,
      cell: (row) => t(`action.${actionOf(row)}`),
      skeleton: 'text',
    },
    {
      id: 'id',
      header: t('column.id'),
      width: 130,
      leaves: 5,
      cell: (row) => <IdCell row={row} />,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 116,
      fixed: true,
      cell: (row) => <StatusCell row={row} />,
      skeleton: 'status',
    },
    {
      id: 'progress',
      header: t('column.progress'),
      width: 104,
      leaves: 8,
      cell: (row) => <ProgressCell row={row} />,
      skeleton: 'bar',
    },
    {
      id: 'result',
      header: t('column.result'),
      width: 100,
      fixed: true,
      cell: (row) =>
        row.parts.length === 0 && row.batch === null ? (
          <Empty />
        ) : (
          <CellButton
            label={`${resultText(row)}: ${t('result.open', { id: row.task_id })}`}
            onOpen={() => onOpen(row)}
          >
            {resultText(row)}
          </CellButton>
        ),
      skeleton: 'text',
    },
    {
      id: 'prompt',
      header: t('column.prompt'),
      minWidth: 130,
      cell: (row) => row.prompt || <Empty />,
      skeleton: 'text',
    },
    {
      id: 'cost',
      header: t('column.cost'),
      width: 112,
      align: 'right',
      cell: (row) => <CostCell row={row} />,
      skeleton: 'number',
    },
    {
      id: 'fail-reason',
      header: t('column.failReason'),
      width: 130,
      leaves: 4,
      cell: (row) => row.fail_reason || <Empty />,
      skeleton: 'text',
    },
  ];
  return columns.filter(({ adminOnly }) => admin || !adminOnly);
}
