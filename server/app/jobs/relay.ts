// The jobs of the relay: tasks, their files, tests of channels.
import { cleanSamples } from '#server/relay/shadow-calls/samples.ts';
import type { MakeJob } from './parts.ts';

/** A task that becomes due waits for at most a third of its interval. */
const TURNS_PER_INTERVAL = 3;

/** Every node asks: a task is claimed by its row, so that of several nodes one asks for it. */
export const drawingTasks: MakeJob = ({ tasks }) => ({
  name: 'drawing-tasks',
  title: { zh: '异步任务', en: 'Asynchronous tasks' },
  description: {
    zh: '向上游查询未完成的绘图、音乐、视频和批处理任务，并结算已结束的任务。',
    en: 'Asks the upstreams about unfinished drawings, music, videos and batches, and settles those that ended.',
  },
  everySeconds: tasks.pollSeconds / TURNS_PER_INTERVAL,
  lease: 'node',
  run: () => tasks.pollDue(),
});

/**
 * A file is claimed by its row and counts as kept once it is whole, so a run that was cut is repeated without
 * harm.
 */
export const mediaKeeping: MakeJob = ({ tasks }) => ({
  name: 'media-keeping',
  title: { zh: '保存任务结果', en: 'Keeping results' },
  description: {
    zh: '下载已完成的绘图、音乐和视频，保存到数据目录或 S3；未设置保存天数时不做任何事。',
    en: 'Downloads finished drawings, music and videos to the data directory or S3; does nothing unless the days to keep are set.',
  },
  everySeconds: 20,
  lease: 'cluster',
  run: (signal) => tasks.keepMedia(signal),
});

/** Every node looks through its own directory. Idempotent: what is removed stays removed. */
export const mediaCleanup: MakeJob = ({ tasks }) => ({
  name: 'media-cleanup',
  title: { zh: '清理任务结果', en: 'Removing old results' },
  description: {
    zh: '删除超过保存天数的结果、任务已删除的文件，以及中断的下载留下的文件。',
    en: 'Removes results older than the days to keep, files of deleted tasks, and leftovers of interrupted downloads.',
  },
  everySeconds: 1800,
  lease: 'node',
  run: (signal) => tasks.removeOldMedia(signal),
});

/** Tests all channels as the button of the channels page does; a run that was started there is not joined. */
export const channelTests: MakeJob = ({ channelTests: tests }) => ({
  name: 'channel-tests',
  title: { zh: '渠道测试', en: 'Channel tests' },
  description: {
    zh: '逐个测试所有渠道；间隔由环境变量 CHANNEL_TEST_FREQUENCY（分钟）设置。',
    en: 'Tests every channel, one after the other; CHANNEL_TEST_FREQUENCY sets the interval in minutes.',
  },
  warning: {
    zh: '将向每个渠道的上游发送一次测试调用，上游可能会收费。',
    en: 'Each channel gets one test call, and its upstream may charge for it.',
  },
  everySeconds: tests.everyMinutes * 60,
  lease: 'cluster',
  run: (signal) => tests.run(signal),
});

/** Idempotent: what is removed stays removed, and places are counted anew. */
export const shadowSamples: MakeJob = ({ store, settings }) => ({
  name: 'shadow-samples',
  title: { zh: '影子调用样本', en: 'Samples of shadow calls' },
  description: {
    zh: '删除超过保留天数的影子调用样本，以及已删除或拒绝的用户的样本。',
    en: 'Removes samples of shadow calls that are older than the days to keep, and those of users who are gone or refuse.',
  },
  everySeconds: 3600,
  lease: 'cluster',
  run: () => cleanSamples(store, settings.current.ShadowKeepDays),
});
