/** The values of a node as the table and the phone's cards show them. */
import { useTranslation } from 'react-i18next';
import type { NodeState as State, NodeView } from '#contract/operating/cluster.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import classes from './cluster.module.css';

const KINDS: Record<State, StatusKind> = { serving: 'enabled', draining: 'disabled', silent: 'failed' };

export const nameOf = ({ host, id }: NodeView): string => host || id;

export function NodeName({ node }: { node: NodeView }) {
  const { t } = useTranslation('cluster');
  return (
    <span className={`flex8 shrink nowrap ${classes.name}`} title={node.id}>
      <bdi>{nameOf(node)}</bdi>
      <span className="muted">{node.is_here ? t('here') : `#${node.process_id}`}</span>
    </span>
  );
}

/** The state, with what is wrong or about to happen. */
export function NodeStatus({ node }: { node: NodeView }) {
  const { t } = useTranslation('cluster');
  const isLeaving = node.state === 'serving' && node.drain_wanted;
  const busy = node.admission === 'open' ? undefined : t(`admission.${node.admission}`);
  const note = isLeaving ? t('wanted') : busy;
  return (
    <span className={`row8 shrink ${classes.state}`}>
      <StatusBadge kind={KINDS[node.state]}>{t(`state.${node.state}`)}</StatusBadge>
      {note === undefined ? null : <span className="muted">{note}</span>}
    </span>
  );
}

/** A figure of a node that does not report is old. */
export function Measured({ node, value, unit = '' }: { node: NodeView; value: number; unit?: string }) {
  return (
    <span className={node.state === 'silent' ? 'muted' : undefined}>
      {value}
      {unit === '' ? null : <span className={classes.unit}>{unit}</span>}
    </span>
  );
}
