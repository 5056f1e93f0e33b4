// Every node asks: a task is claimed by its row, so that of several nodes one asks for it.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

/** A task that becomes due waits for at most a third of its interval. */
const TURNS_PER_INTERVAL = 3;

export function drawingTasks({ tasks }: JobParts): Job {
  return {
    name: 'drawing-tasks',
    title: { zh: '异步任务', en: 'Asynchronous tasks' },
    description: {
      zh: '向上游查询未完成的绘图、音乐、视频和批处理任务，并结算已结束的任务。',
      en: 'Asks the upstreams about unfinished drawings, music, videos and batches, and settles those that ended.',
    },
    everySeconds: tasks.pollSeconds / TURNS_PER_INTERVAL,
    lease: 'node',
    run: () => tasks.pollDue(),
  };
}
