// Tests all channels as the button of the channels page does; a run that was started there is not joined.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function channelTests({ channelTests: tests }: JobParts): Job {
  return {
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
  };
}
