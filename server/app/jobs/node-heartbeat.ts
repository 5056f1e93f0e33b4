// Tells the other nodes that this one lives; only where there can be others.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function nodeHeartbeat({ ledger: { heartbeat } }: JobParts): Job[] {
  if (heartbeat === undefined) return [];
  return [
    {
      name: 'node-heartbeat',
      title: { zh: '节点心跳', en: 'Node heartbeat' },
      description: {
        zh: '告诉其他节点本节点仍在运行；心跳中断的节点，其预扣额度会被其他节点处理。',
        en: 'Tells the other nodes that this one is alive; the others settle or release the holds of a silent node.',
      },
      everySeconds: heartbeat.everySeconds,
      lease: 'node',
      run: () => heartbeat.beat(),
    },
  ];
}
