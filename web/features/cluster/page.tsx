/** The page of nodes: how each process is, what waits in the database, and which node drains. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { NodeView } from '#contract/operating/cluster.ts';
import { gridError } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import { Page } from '#web/ui/page/page.tsx';
import { nameOf } from './cells.tsx';
import { nodeColumns } from './columns.tsx';
import { NodeCard, NodeDetail } from './detail.tsx';
import { ClusterFigures } from './figures.tsx';
import { clusterQueries } from './queries.ts';
import { clusterSearch } from './search.ts';

export function ClusterPage() {
  const { t } = useTranslation('cluster');
  const [search, change] = useAddress(clusterSearch, { replaces: true });
  const cluster = useQuery(clusterQueries.view());
  const nodes = cluster.data?.nodes;
  const query = gridQuery({ ...search, size: search.size ?? 50 });
  const count = (state: NodeView['state']) => nodes?.filter((node) => node.state === state).length ?? 0;
  const silent = count('silent');
  const draining = count('draining');
  const detail = (node: NodeView) => <NodeDetail node={node} />;
  const card = (node: NodeView) => (
    <NodeCard node={node}>{search.open === node.id ? detail(node) : null}</NodeCard>
  );
  return (
    <Page
      title={t('title')}
      summary={[
        { value: nodes?.length ?? 0, label: t('total') },
        ...(draining > 0 ? [{ value: draining, label: t('draining') }] : []),
        ...(silent > 0 ? [{ value: silent, label: t('silent'), tone: 'danger' as const }] : []),
      ]}
    >
      {cluster.data === undefined ? null : <ClusterFigures view={cluster.data} />}
      <DataGrid
        name="nodes"
        label={t('list')}
        columns={nodeColumns(t)}
        rows={nodes?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={nodes?.length ?? 0}
        rowId={(node) => node.id}
        rowName={nameOf}
        query={query}
        onQueryChange={(next) => change(searchOfQuery(next))}
        refreshing={false}
        error={gridError(cluster.error)}
        onRefresh={() => void cluster.refetch()}
        empty={<EmptyState title={t('empty.title')} text={t('empty.text')} />}
        onOpen={(node) => change({ open: search.open === node.id ? undefined : node.id })}
        openRowId={search.open ?? ''}
        card={card}
        detail={detail}
        detailRowId={search.open}
      />
    </Page>
  );
}
