/** The columns of the specification, and the cost. Only administrators see user and channel; on narrow screens the English prompt is hidden first. */
import type { useTranslation } from 'react-i18next';
import type { DrawingView } from '#contract/relay/drawing.ts';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { Empty } from '#web/ui/badge/empty.tsx';
import { TaskCost } from '#web/ui/format/amount.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import {
  CodeCell,
  DurationCell,
  PictureCell,
  ProgressCell,
  StatusCell,
  TextCell,
  UserCell,
} from './cells.tsx';
import { actionOf } from './state.ts';
import classes from './drawing.module.css';

export interface ShownText {
  title: string;
  text: string;
}

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'drawing'>>['t'];
  admin: boolean;
  onPicture: (row: DrawingView) => void;
  onText: (shown: ShownText) => void;
}

const THUMBNAIL = 26;

export function drawingColumns({ t, admin, onPicture, onText }: ColumnOptions): GridColumn<DrawingView>[] {
  const textCell = (title: string, text: string, isBad = false) => (
    <TextCell text={text} label={title} isBad={isBad} onOpen={() => onText({ title, text })} />
  );
  const columns: (GridColumn<DrawingView> & { adminOnly?: true })[] = [
    {
      id: 'submitted',
      header: t('column.submitted'),
      width: 134,
      fixed: true,
      cell: (row) => <ExactMoment timestamp={Math.floor(row.submit_time / 1000)} />,
      skeleton: 'text',
    },
    {
      id: 'duration',
      header: t('column.duration'),
      width: 78,
      align: 'right',
      leaves: 4,
      cell: (row) => <DurationCell row={row} />,
      skeleton: 'number',
    },
    {
      id: 'user',
      adminOnly: true,
      header: t('column.user'),
      width: 104,
      cell: (row) => <UserCell row={row} />,
      skeleton: 'text',
    },
    {
      id: 'cost',
      header: t('column.cost'),
      width: 68,
      leaves: 7,
      align: 'right',
      // Users see the state of the submission instead, unless they choose otherwise.
      hidden: !admin,
      cell: (row) => <TaskCost quota={row.quota} held={row.held} />,
      skeleton: 'number',
    },
    {
      id: 'channel',
      adminOnly: true,
      header: t('column.channel'),
      width: 76,
      leaves: 5,
      cell: (row) => (row.channel_id === 0 ? <Empty /> : `#${row.channel_id}`),
      skeleton: 'text',
    },
    {
      id: 'action',
      header: t('column.action'),
      width: 116,
      fixed: true,
      cell: (row) => t(`action.${actionOf(row)}`),
      skeleton: 'text',
    },
    {
      id: 'id',
      header: t('column.id'),
      width: 158,
      leaves: 6,
      cell: (row) =>
        row.mj_id === '' ? (
          <Empty />
        ) : (
          <span className={classes.id}>
            <code>{row.mj_id}</code>
            <CopyButton text={row.mj_id} label={t('copyId', { id: row.mj_id })} size={20} />
          </span>
        ),
      skeleton: 'text',
    },
    {
      id: 'code',
      header: t('column.code'),
      width: 90,
      leaves: 2,
      cell: (row) => <CodeCell row={row} />,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 120,
      fixed: true,
      cell: (row) => <StatusCell row={row} />,
      skeleton: 'status',
    },
    {
      id: 'progress',
      header: t('column.progress'),
      width: 96,
      leaves: 8,
      cell: (row) => <ProgressCell row={row} />,
      skeleton: 'bar',
    },
    {
      id: 'image',
      header: t('column.image'),
      width: 56,
      fixed: true,
      cell: (row) => <PictureCell row={row} size={THUMBNAIL} onOpen={onPicture} />,
      skeleton: 'text',
    },
    {
      id: 'prompt',
      header: t('column.prompt'),
      minWidth: 108,
      cell: (row) => textCell(t('column.prompt'), row.prompt),
      skeleton: 'text',
    },
    {
      id: 'prompt-en',
      header: t('column.promptEn'),
      width: 130,
      leaves: 1,
      cell: (row) => textCell(t('column.promptEn'), row.prompt_en),
      skeleton: 'text',
    },
    {
      id: 'fail-reason',
      header: t('column.failReason'),
      width: 116,
      leaves: 3,
      cell: (row) => textCell(t('column.failReason'), row.fail_reason, true),
      skeleton: 'text',
    },
  ];
  return columns.filter(({ adminOnly }) => admin || !adminOnly);
}
