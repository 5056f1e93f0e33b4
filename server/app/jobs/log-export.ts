// The position moves after the receiver has a batch: a run that was cut sends its last batch again.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function logExport({ logExport: rows }: JobParts): Job {
  return {
    name: 'log-export',
    title: { zh: '日志导出', en: 'Log export' },
    description: {
      zh: '把新的日志行发送到 ClickHouse、S3 或 Webhook；未设置导出位置时不运行。',
      en: 'Sends new log rows to ClickHouse, S3 or a webhook; does not run while no receiver is set.',
    },
    everySeconds: () => rows.everySeconds(),
    lease: 'cluster',
    run: (signal) => rows.run(signal),
  };
}
