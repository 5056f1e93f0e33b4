// A file is claimed by its row and counts as kept once it is whole, so a run that was cut is repeated without harm.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function mediaKeeping({ tasks }: JobParts): Job {
  return {
    name: 'media-keeping',
    title: { zh: '保存任务结果', en: 'Keeping results' },
    description: {
      zh: '下载已完成的绘图、音乐和视频，保存到数据目录或 S3；未设置保存天数时不做任何事。',
      en: 'Downloads finished drawings, music and videos to the data directory or S3; does nothing while no days to keep are set.',
    },
    everySeconds: 20,
    lease: 'cluster',
    run: (signal) => tasks.keepMedia(signal),
  };
}
