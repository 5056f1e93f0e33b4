// A copy that was cut short is removed by the next run; a repeated run makes one copy more.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export const BACKUP_JOB = 'backup';

export function backup({ backups }: JobParts): Job {
  return {
    name: BACKUP_JOB,
    title: { zh: '数据库备份', en: 'Database backup' },
    description: {
      zh: '把整个数据库复制到数据目录或 S3，并删除最旧的备份；未设置间隔时只能手动运行。',
      en: 'Copies the whole database to the data directory or S3 and removes the oldest copies; runs only by hand while no interval is set.',
    },
    everySeconds: () => backups.everySeconds(),
    lease: 'cluster',
    run: (signal) => backups.run(signal),
  };
}
