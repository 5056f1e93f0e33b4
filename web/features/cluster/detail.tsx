/** A node in full, and as a card of a phone. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { NodeView } from '#contract/operating/cluster.ts';
import { ExactMoment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { Measured, nameOf, NodeStatus } from './cells.tsx';
import { DrainButton } from './drain-button.tsx';
import classes from './cluster.module.css';

export function NodeDetail({ node }: { node: NodeView }) {
  const { t } = useTranslation('cluster');
  return (
    <dl className={`stack4 small ${classes.facts}`}>
      <Fact label={t('detail.host')}>{node.host}</Fact>
      <Fact label={t('detail.process')}>{node.process_id}</Fact>
      <Fact label={t('detail.refused')}>{groupDigits(node.refused)}</Fact>
      <Fact label={t('detail.started')}>
        <ExactMoment timestamp={node.started_at} />
      </Fact>
      <Fact label={t('detail.reported')}>
        <ExactMoment timestamp={node.reported_at} />
      </Fact>
      <Fact label={t('detail.id')}>
        <code>{node.id}</code>
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function NodeCard({ node, children }: { node: NodeView; children: ReactNode }) {
  const { t } = useTranslation('cluster');
  const figures = [
    ['calls', node.calls, ''],
    ['delay', node.delay_ms, 'ms'],
    ['cpu', node.cpu_percent, '%'],
    ['memory', node.memory_mb, 'MB'],
  ] as const;
  return (
    <>
      <CardHead name={nameOf(node)}>
        <NodeStatus node={node} />
      </CardHead>
      <CardLine>
        <span className={`flex note ${classes.figures}`}>
          {figures.map(([name, value, unit]) => (
            <span key={name}>
              {t(`column.${name}`)} <Measured node={node} value={value} unit={unit} />
            </span>
          ))}
        </span>
        <DrainButton node={node} />
      </CardLine>
      {children}
    </>
  );
}
