/** Agents for administrators: rate, balance and what they earned; the rate is changed on the users page. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AgentView } from '#contract/money/resellers.ts';
import { gridError } from '#web/api/errors.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { csvTime } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { RowTotals, UserLink } from './cells.tsx';
import { resellerQueries } from './queries.ts';
import type { ListProps } from './search.ts';

export function Agents({ search, change }: ListProps) {
  const { t } = useTranslation('resellers');
  const query = gridQuery(search);
  const list = useQuery(resellerQueries.agents(search, query));
  const card = (row: AgentView) => (
    <>
      <CardHead name={<UserLink id={row.user_id} name={row.username} />}>
        <AgentState agent={row} />
      </CardHead>
      <CardLine>
        <span>
          {row.rate_percent}% · {t('column.customers')} {row.customers}
        </span>
        <b>
          <Quota quota={row.balance} />
        </b>
      </CardLine>
      <CardLine>
        <span>
          {t('column.dividends')} <Quota quota={row.dividends} />
        </span>
        <Moment timestamp={row.created_at} />
      </CardLine>
    </>
  );
  return (
    <DataGrid<AgentView>
      name="agents"
      label={t('list.agents')}
      columns={useAgentColumns()}
      rows={list.data?.items}
      total={list.data?.total ?? 0}
      rowId={(row) => String(row.user_id)}
      rowName={(row) => row.username}
      query={query}
      {...addressProps(search, change, t('search.agents'))}
      facets={[
        {
          id: 'ended',
          label: t('column.status'),
          options: [{ value: 'ended', label: t('withEnded') }],
          value: search.ended ? ['ended'] : [],
          onChange: ([value]) => change({ ended: value === 'ended' || undefined, page: undefined }),
        },
      ]}
      onClearFilters={() => change({ q: undefined, ended: undefined, page: undefined })}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('empty.agents')} text={t('empty.agentsText')} />}
      totals={<RowTotals total={list.data?.total} of="agents" />}
      onOpen={(row) => change({ tab: 'all', agent: row.user_id, q: undefined, page: undefined })}
      isMuted={(row) => !row.active}
      card={card}
    />
  );
}

function AgentState({ agent }: { agent: AgentView }) {
  const { t } = useTranslation('resellers');
  return (
    <StatusBadge kind={agent.active ? 'enabled' : 'disabled'}>
      {t(agent.active ? 'agentStatus.active' : 'agentStatus.ended')}
    </StatusBadge>
  );
}

const FIGURES = ['dividends', 'balance', 'owed', 'withdrawing', 'withdrawn'] as const;

function useAgentColumns(): GridColumn<AgentView>[] {
  const { t } = useTranslation('resellers');
  return [
    {
      id: 'agent',
      header: t('column.agent'),
      minWidth: 140,
      fixed: true,
      cell: (row) => <UserLink id={row.user_id} name={row.username} />,
      csv: (row) => row.username,
      skeleton: 'text',
    },
    {
      id: 'rate',
      header: t('column.rate'),
      width: 80,
      align: 'right',
      cell: (row) => `${row.rate_percent}%`,
      csv: (row) => row.rate_percent,
      skeleton: 'number',
    },
    {
      id: 'customers',
      header: t('column.customers'),
      width: 90,
      align: 'right',
      leaves: 4,
      cell: (row) => <Count value={row.customers} />,
      csv: (row) => row.customers,
      skeleton: 'number',
    },
    ...FIGURES.map((name, index): GridColumn<AgentView> => ({
      id: name,
      header: t(`column.${name}`),
      width: 120,
      align: 'right',
      ...(name === 'balance' ? {} : { leaves: 8 - index }),
      cell: (row) => <Quota quota={row[name]} />,
      csv: (row) => row[name],
      skeleton: 'number',
    })),
    {
      id: 'status',
      header: t('column.status'),
      width: 100,
      cell: (row) => <AgentState agent={row} />,
      csv: (row) => t(row.active ? 'agentStatus.active' : 'agentStatus.ended'),
      skeleton: 'status',
    },
    {
      id: 'since',
      header: t('column.since'),
      width: 142,
      leaves: 1,
      cell: (row) => <Moment timestamp={row.created_at} absolute />,
      csv: (row) => csvTime(row.created_at),
      skeleton: 'text',
    },
  ];
}
