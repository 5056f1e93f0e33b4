/** The columns of the token list. On narrow screens they are hidden in this order: created, IPs, models, last used, expires, use, key. */
import type { ReactNode } from 'react';
import { TOKEN_NEVER_EXPIRES, type TokenView } from '#contract/admin/tokens.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { csvTime, menuColumn } from '#web/ui/grid/columns.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import {
  AddressesCell,
  ExpiryCell,
  HolderCell,
  KeyCell,
  LastUsedCell,
  ModelsCell,
  NameCell,
  QuotaCell,
  RecentCell,
  StateCell,
} from './cells.tsx';
import { tokenState } from '#web/features/tokens/token-state.ts';
import type { useTranslation } from 'react-i18next';

interface ColumnOptions {
  t: ReturnType<typeof useTranslation<'tokens'>>['t'];
  ownGroup: string;
  /** Of an organization: each has a holder. */
  isShared: boolean;
  menu: (token: TokenView) => ReactNode;
}

function holderColumn(t: ColumnOptions['t']): GridColumn<TokenView> {
  return {
    id: 'holder',
    header: t('column.holder'),
    width: 150,
    leaves: 8,
    shares: true,
    cell: (token) => <HolderCell token={token} />,
    csv: (token) => token.member_name || token.service_account_name,
    skeleton: 'text',
  };
}

export function tokenColumns({ t, ownGroup, isShared, menu }: ColumnOptions): GridColumn<TokenView>[] {
  return [
    {
      id: 'name',
      header: t('column.name'),
      minWidth: 164,
      fixed: true,
      sortKey: 'name',
      cell: (token) => <NameCell token={token} ownGroup={ownGroup} />,
      csv: (token) => token.name,
      skeleton: 'text',
    },
    {
      id: 'status',
      header: t('column.status'),
      width: 104,
      cell: (token) => <StateCell token={token} />,
      csv: (token) => t(`status.${tokenState(token)}`),
      skeleton: 'status',
    },
    ...(isShared ? [holderColumn(t)] : []),
    {
      id: 'key',
      header: t('column.key'),
      width: 136,
      leaves: 7,
      cell: (token) => <KeyCell token={token} />,
      skeleton: 'text',
    },
    {
      id: 'quota',
      header: t('column.quota'),
      width: 164,
      sortKey: 'used_quota',
      cell: (token) => <QuotaCell token={token} />,
      csv: (token) => token.used_quota,
      skeleton: 'bar',
    },
    {
      id: 'recent',
      header: t('column.recent'),
      width: 86,
      leaves: 6,
      cell: (token) => <RecentCell token={token} />,
      csv: (token) => token.recent_quota.reduce((sum, quota) => sum + quota, 0),
      skeleton: 'posts',
    },
    {
      id: 'models',
      header: t('column.models'),
      width: 88,
      leaves: 3,
      cell: (token) => <ModelsCell token={token} />,
      csv: (token) => (token.model_limits_enabled ? token.model_limits : ''),
      skeleton: 'text',
    },
    {
      id: 'addresses',
      header: t('column.addresses'),
      width: 104,
      leaves: 2,
      cell: (token) => <AddressesCell token={token} />,
      csv: (token) => token.allow_ips.replaceAll('\n', ' '),
      skeleton: 'text',
    },
    {
      id: 'created',
      header: t('column.created'),
      width: 142,
      leaves: 1,
      sortKey: 'created_time',
      cell: (token) => <Moment timestamp={token.created_time} absolute />,
      csv: (token) => csvTime(token.created_time),
      skeleton: 'text',
    },
    {
      id: 'expires',
      header: t('column.expires'),
      width: 116,
      leaves: 5,
      sortKey: 'expired_time',
      cell: (token) => <ExpiryCell token={token} />,
      csv: (token) => (token.expired_time === TOKEN_NEVER_EXPIRES ? t('never') : csvTime(token.expired_time)),
      skeleton: 'text',
    },
    {
      id: 'last-used',
      header: t('column.lastUsed'),
      width: 108,
      leaves: 4,
      sortKey: 'accessed_time',
      cell: (token) => <LastUsedCell token={token} />,
      csv: (token) => csvTime(token.accessed_time),
      skeleton: 'text',
    },
    // Export only: the cells above show these values graphically.
    {
      id: 'group',
      header: t('column.group'),
      width: 90,
      hidden: true,
      cell: (token) => token.group || ownGroup,
      csv: (token) => token.group || ownGroup,
      skeleton: 'text',
    },
    {
      id: 'remain',
      header: t('column.remainQuota'),
      width: 110,
      align: 'right',
      hidden: true,
      sortKey: 'remain_quota',
      cell: (token) =>
        token.unlimited_quota ? t('quota.unlimited') : token.remain_quota.toLocaleString('en-US'),
      csv: (token) => (token.unlimited_quota ? t('quota.unlimited') : token.remain_quota),
      skeleton: 'number',
    },
    { ...menuColumn(t('column.actions'), menu), width: 84 },
  ];
}
