/** The columns of the specification, with cost and prompt. Only administrators see user and channel. */
import type { TaskView } from '#contract/relay/tasks.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { commonColumns } from './cells.tsx';
import { platformOf } from './state.ts';
import type { TaskWords } from './use-task-list.tsx';

interface ColumnOptions {
  t: TaskWords;
  admin: boolean;
  resultText: (row: TaskView) => string;
  onOpen: (row: TaskView) => void;
}

export function taskColumns({ t, admin, resultText, onOpen }: ColumnOptions): GridColumn<TaskView>[] {
  const common = commonColumns(t);
  const result = (row: TaskView) =>
    row.parts.length === 0 && row.batch === null ? (
      <Empty />
    ) : (
      <CellButton
        label={`${resultText(row)}: ${t('result.open', { id: row.task_id })}`}
        onOpen={() => onOpen(row)}
      >
        {resultText(row)}
      </CellButton>
    );
  const columns: (GridColumn<TaskView> | false)[] = [
    common('submitted', { width: 142 }),
    {
      id: 'finished',
      header: t('column.finished'),
      width: 142,
      leaves: 1,
      cell: (row) => (row.finish_time === 0 ? <Empty /> : <ExactMoment timestamp={row.finish_time} />),
      skeleton: 'text',
    },
    common('duration', { width: 78, leaves: 3 }),
    admin && common('user', { width: 100, leaves: 7 }),
    admin && common('channel', { width: 62, leaves: 6 }),
    {
      id: 'platform',
      header: t('column.platform'),
      width: 84,
      leaves: 2,
      cell: (row) => t(`platform.${platformOf(row)}`),
      skeleton: 'text',
    },
    common('action', { width: 114 }),
    common('id', { width: 130, leaves: 5 }),
    common('status', { width: 116 }),
    common('progress', { width: 104, leaves: 8 }),
    { id: 'result', header: t('column.result'), width: 100, fixed: true, cell: result, skeleton: 'text' },
    common('prompt', { minWidth: 130 }),
    common('cost', { width: 112 }),
    {
      id: 'fail-reason',
      header: t('column.failReason'),
      width: 130,
      shares: true,
      leaves: 4,
      cell: (row) => row.fail_reason || <Empty />,
      skeleton: 'text',
    },
  ];
  return columns.filter((column) => column !== false);
}
