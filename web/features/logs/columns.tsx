/** The columns of the log. Only administrators see channel and user, only an organization has a holder; on narrow screens stream, group and token are hidden first. */
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { ActionIcon } from '@mantine/core';
import type { useTranslation } from 'react-i18next';
import type { LogView } from '#contract/admin/logs.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import {
  ChannelCell,
  CompletionCell,
  CostCell,
  DurationCell,
  FirstTokenCell,
  hasNoTokens,
  isCall,
  ModelCell,
  PromptCell,
  StreamCell,
  TypeCell,
  UserCell,
} from './cells.tsx';
import type { LogDetails } from './other.ts';
import classes from './logs.module.css';

/** Only calls have values in these. */
const CALL_COLUMNS = ['stream', 'duration', 'first-token', 'prompt', 'completion'];
const CALL_AND_COST_COLUMNS = [...CALL_COLUMNS, 'cost'];
const NO_COLUMNS: readonly string[] = [];

function emptyColumns(row: LogView): readonly string[] {
  if (hasNoTokens(row)) return row.quota === 0 ? CALL_AND_COST_COLUMNS : CALL_COLUMNS;
  return isCall(row) ? NO_COLUMNS : CALL_COLUMNS;
}

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'logs'>>['t'];
  admin: boolean;
  /** Of an organization: whose key made the call. */
  isShared: boolean;
  openId: number | undefined;
  details: (row: LogView) => LogDetails;
  onToggle: (row: LogView) => void;
  onUser: (row: LogView) => void;
}

export function logColumns(options: ColumnOptions): GridColumn<LogView>[] {
  const { t, admin, isShared, openId, details, onToggle, onUser } = options;
  const columns: (GridColumn<LogView> & { adminOnly?: true; sharedOnly?: true })[] = [
    {
      id: 'expand',
      header: t('column.detail'),
      headerHidden: true,
      width: 34,
      fixed: true,
      cell: (row) => {
        const open = row.id === openId;
        const name = row.model_name || row.content || String(row.id);
        return (
          <ActionIcon
            size={22}
            className={classes.chevron}
            aria-expanded={open}
            aria-label={open ? t('action.close', { name }) : t('action.open', { name })}
            onClick={() => onToggle(row)}
          >
            {open ? <IconChevronDown size={14} stroke={1.6} /> : <IconChevronRight size={14} stroke={1.6} />}
          </ActionIcon>
        );
      },
      skeleton: 'none',
    },
    {
      id: 'time',
      header: t('column.time'),
      width: 126,
      fixed: true,
      cell: (row) => <ExactMoment timestamp={row.created_at} />,
      skeleton: 'text',
    },
    {
      id: 'channel',
      adminOnly: true,
      header: t('column.channel'),
      width: 104,
      leaves: 4,
      cell: (row) => <ChannelCell row={row} details={details(row)} />,
      skeleton: 'text',
    },
    {
      id: 'user',
      adminOnly: true,
      header: t('column.user'),
      width: 108,
      leaves: 6,
      cell: (row) => <UserCell row={row} onUser={onUser} />,
      skeleton: 'text',
    },
    {
      id: 'holder',
      sharedOnly: true,
      header: t('column.holder'),
      width: 112,
      leaves: 6,
      cell: ({ member_name, service_account_name }) =>
        member_name || service_account_name ? (
          <span className="block cut">{member_name || service_account_name}</span>
        ) : (
          <Empty />
        ),
      skeleton: 'text',
    },
    {
      id: 'token',
      header: t('column.token'),
      width: 112,
      leaves: 3,
      cell: (row) => (row.token_name ? <span className="block cut">{row.token_name}</span> : <Empty />),
      skeleton: 'text',
    },
    {
      id: 'group',
      header: t('column.group'),
      width: 76,
      leaves: 2,
      cell: (row) => (row.group ? <GroupTag group={row.group} /> : <Empty />),
      skeleton: 'status',
    },
    {
      id: 'type',
      header: t('column.type'),
      width: 92,
      cell: (row) => <TypeCell row={row} />,
      skeleton: 'status',
    },
    {
      id: 'model',
      header: t('column.model'),
      minWidth: 150,
      fixed: true,
      cell: (row) => <ModelCell row={row} details={details(row)} />,
      spans: emptyColumns,
      skeleton: 'text',
    },
    {
      id: 'stream',
      header: t('column.stream'),
      headerHidden: true,
      width: 30,
      leaves: 1,
      cell: (row) => <StreamCell row={row} details={details(row)} />,
      skeleton: 'none',
    },
    {
      id: 'duration',
      header: t('column.duration'),
      width: 70,
      align: 'right',
      leaves: 7,
      cell: (row) => <DurationCell row={row} details={details(row)} />,
      skeleton: 'number',
    },
    {
      id: 'first-token',
      header: t('column.firstToken'),
      width: 72,
      align: 'right',
      leaves: 5,
      cell: (row) => <FirstTokenCell row={row} details={details(row)} />,
      skeleton: 'number',
    },
    {
      id: 'prompt',
      header: t('column.prompt'),
      width: 78,
      align: 'right',
      cell: (row) => <PromptCell row={row} details={details(row)} />,
      skeleton: 'number',
    },
    {
      id: 'completion',
      header: t('column.completion'),
      width: 72,
      align: 'right',
      cell: (row) => <CompletionCell row={row} details={details(row)} />,
      skeleton: 'number',
    },
    {
      id: 'cost',
      header: t('column.cost'),
      width: 104,
      align: 'right',
      fixed: true,
      cell: (row) => <CostCell row={row} />,
      skeleton: 'number',
    },
  ];
  return columns.filter(({ adminOnly, sharedOnly }) => (admin || !adminOnly) && (isShared || !sharedOnly));
}
