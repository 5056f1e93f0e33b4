// A node's row is its own; a report that is lost is followed by the next.
import { REPORT_SECONDS } from '#server/admin/cluster/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function nodeReport({ reporter }: JobParts): Job {
  return {
    name: 'node-report',
    title: { zh: '节点报告', en: 'Node report' },
    description: {
      zh: '记录本节点的负载和延迟，供节点页面显示；被要求排空时让负载均衡器不再转发请求。',
      en: 'Writes down load and delays of this node for the page of nodes, and drains the node when it is asked to.',
    },
    everySeconds: REPORT_SECONDS,
    lease: 'node',
    atStart: true,
    run: () => reporter.run(),
  };
}
