// Every node looks through its own directory. Idempotent: what is removed stays removed.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function mediaCleanup({ tasks }: JobParts): Job {
  return {
    name: 'media-cleanup',
    title: { zh: '清理任务结果', en: 'Removing old results' },
    description: {
      zh: '删除超过保存天数的结果、任务已删除的文件，以及中断的下载留下的文件。',
      en: 'Removes results beyond the days to keep, files of removed tasks, and what interrupted downloads left.',
    },
    everySeconds: 1800,
    lease: 'node',
    run: (signal) => tasks.removeOldMedia(signal),
  };
}
