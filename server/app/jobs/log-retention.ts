// Idempotent: what is removed stays removed, and a day that has its partition gets no other.
import { applyLogRetention } from '#server/admin/logs/index.ts';
import { endedTasks } from '#server/relay/tasks/index.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function logRetention({ store, settings }: JobParts): Job {
  return {
    name: 'log-retention',
    title: { zh: '日志保留', en: 'Log retention' },
    description: {
      zh: '删除超过保留天数的日志和已结束的绘图任务；使用 PostgreSQL 时提前建立每日分区。',
      en: 'Removes logs and ended drawings that are older than the days to keep; on PostgreSQL it makes the partitions of the next days.',
    },
    everySeconds: 3600,
    lease: 'cluster',
    async run(signal) {
      const days = settings.current.LogRetentionDays;
      await applyLogRetention({ store, endedTasks: endedTasks(store) }, days, signal);
    },
  };
}
