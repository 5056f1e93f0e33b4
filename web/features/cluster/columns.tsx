/** The columns of the nodes. When space goes, the times leave first, then the version. */
import type { useTranslation } from 'react-i18next';
import type { NodeView } from '#contract/operating/cluster.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import type { GridColumn } from '#web/ui/grid/types.ts';
import { Measured, NodeName, NodeStatus } from './cells.tsx';
import { DrainButton } from './drain-button.tsx';

type Translate = ReturnType<typeof useTranslation<'cluster'>>['t'];

/** What a narrow screen can do without. */
const LEAVING: Record<string, { leaves: number }> = {
  memory: { leaves: 3 },
  rate: { leaves: 4 },
  database: { leaves: 5 },
};

export function nodeColumns(t: Translate): GridColumn<NodeView>[] {
  const figure = (
    id: 'calls' | 'rate' | 'delay' | 'database' | 'cpu' | 'memory',
    width: number,
    value: (node: NodeView) => number,
    unit = '',
  ): GridColumn<NodeView> => ({
    id,
    header: t(`column.${id}`),
    width,
    ...LEAVING[id],
    align: 'right',
    cell: (node) => <Measured node={node} value={value(node)} unit={unit} />,
    skeleton: 'number',
  });
  return [
    {
      id: 'node',
      header: t('column.node'),
      minWidth: 160,
      fixed: true,
      cell: (node) => <NodeName node={node} />,
      skeleton: 'text',
    },
    {
      id: 'state',
      header: t('column.state'),
      width: 150,
      fixed: true,
      cell: (node) => <NodeStatus node={node} />,
      skeleton: 'status',
    },
    figure('calls', 80, ({ calls }) => calls),
    figure('rate', 84, ({ calls_per_second }) => calls_per_second),
    figure('delay', 84, ({ delay_ms }) => delay_ms, 'ms'),
    figure('database', 92, ({ database_ms }) => database_ms, 'ms'),
    figure('cpu', 76, ({ cpu_percent }) => cpu_percent, '%'),
    figure('memory', 84, ({ memory_mb }) => memory_mb, 'MB'),
    {
      id: 'version',
      header: t('column.version'),
      width: 84,
      leaves: 2,
      cell: ({ version }) => version,
      skeleton: 'text',
    },
    {
      id: 'started',
      header: t('column.started'),
      width: 124,
      leaves: 1,
      cell: ({ started_at }) => <Moment timestamp={started_at} />,
      skeleton: 'text',
    },
    {
      id: 'actions',
      header: t('column.actions'),
      headerHidden: true,
      width: 90,
      fixed: true,
      align: 'right',
      cell: (node) => <DrainButton node={node} />,
      skeleton: 'none',
    },
  ];
}
