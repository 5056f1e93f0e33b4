/** The columns of the specification, and the cost. Only administrators see user and channel; on narrow screens the English prompt is hidden first. */
import { Link } from '@tanstack/react-router';
import { Empty } from '#web/ui/badge/empty.tsx';
import { TaskCost } from '#web/ui/format/page-amounts.tsx';
import { CellButton } from '#web/ui/grid/cell-button.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { commonColumns } from './cells.tsx';
import { PictureCell } from './picture-cell.tsx';
import { codeName, type DrawingRow } from './state.ts';
import type { TaskWords } from './use-task-list.tsx';
import classes from './tasks.module.css';

export interface ShownText {
  title: string;
  text: string;
}

interface ColumnOptions {
  t: TaskWords;
  admin: boolean;
  onPicture: (row: DrawingRow) => void;
  onText: (shown: ShownText) => void;
}

const THUMBNAIL = 26;

export function drawingColumns({ t, admin, onPicture, onText }: ColumnOptions): GridColumn<DrawingRow>[] {
  const common = commonColumns(t);
  const own = (id: string, header: string, column: Omit<GridColumn<DrawingRow>, 'id' | 'header'>) => ({
    id,
    header,
    skeleton: 'text' as const,
    ...column,
  });
  /** One line; the whole text is in a dialog. */
  const textCell = (title: string, text: string, isBad = false) =>
    text === '' ? (
      <Empty />
    ) : (
      <CellButton
        block
        isBad={isBad}
        label={`${title}: ${text.slice(0, 200)}`}
        onOpen={() => onText({ title, text })}
      >
        {text}
      </CellButton>
    );
  const code = (row: DrawingRow) => {
    const name = codeName(row.code);
    return (
      <span className={classes.muted}>
        {t(`code.${name}`)}
        {name === 'refused' ? <span className={classes.unit}> {row.code}</span> : null}
      </span>
    );
  };
  /** Opens the card of the user who drew. */
  const user = (row: DrawingRow) => (
    <Link to="/user/$id" params={{ id: String(row.user_id) }} className={classes.user} title={row.username}>
      {row.username}
    </Link>
  );
  const [prompt, promptEn, reason] = [t('column.prompt'), t('column.promptEn'), t('column.failReason')];
  const columns: (GridColumn<DrawingRow> | false)[] = [
    common('submitted', { width: 134 }),
    common('duration', { width: 78, leaves: 4 }),
    admin && common('user', { width: 104, cell: user }),
    // Users see the state of the submission instead of the cost, unless they choose otherwise.
    common('cost', {
      width: 86,
      leaves: 7,
      hidden: !admin,
      cell: (row) => <TaskCost quota={row.quota} held={row.held} />,
    }),
    admin && common('channel', { width: 76, leaves: 5 }),
    common('action', { width: 116 }),
    common('id', { width: 158, leaves: 6 }),
    own('code', t('column.code'), { width: 90, leaves: 2, cell: code }),
    common('status', { width: 120 }),
    common('progress', { width: 96, leaves: 8 }),
    own('image', t('column.image'), {
      width: 56,
      fixed: true,
      cell: (row) => <PictureCell row={row} size={THUMBNAIL} onOpen={onPicture} />,
    }),
    common('prompt', { minWidth: 108, cell: (row) => textCell(prompt, row.prompt) }),
    own('prompt-en', promptEn, { width: 130, leaves: 1, cell: (row) => textCell(promptEn, row.prompt_en) }),
    own('fail-reason', reason, {
      width: 116,
      leaves: 3,
      cell: (row) => textCell(reason, row.fail_reason, true),
    }),
  ];
  return columns.filter((column) => column !== false);
}
