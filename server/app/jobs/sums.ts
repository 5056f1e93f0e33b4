// The sums that reports are read from. A second run is harmless: a row is counted once, because the position moves with the sum
// of its rows, and a period that is summed twice has the same sums.
import { DAY_SECONDS, HOUR_SECONDS, unixSeconds } from '#contract/time.ts';
import { usageRollup } from '#server/admin/logs/index.ts';
import { cacheCells, sumMarginSpans } from '#server/admin/margins/index.ts';
import { measuredCalls, refusedCalls, sumDays } from '#server/admin/measured/index.ts';
import { costDays, holderCells, sumChangedDays, usageCells } from '#server/admin/usage-api/index.ts';
import { follow, sumPeriods, type Pause } from '#server/money/sums/engine.ts';
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

/** Between two steps, so that a long history leaves the writer to the charges of calls. */
const PAUSE_MILLISECONDS = 40;

type SumJob = Pick<Job, 'name' | 'title' | 'description' | 'everySeconds'> & {
  sum: (pause: Pause) => Promise<number>;
};

export const sums = (parts: JobParts): Job[] =>
  declared(parts).map(({ sum, ...job }) => ({
    ...job,
    lease: 'cluster',
    async run(signal) {
      await sum(async () => {
        await Bun.sleep(PAUSE_MILLISECONDS);
        return !signal.aborted;
      });
    },
  }));

async function sumHoursOfDay(store: JobParts['store'], day: number, pause: Pause): Promise<void> {
  for (let hour = day; hour < day + DAY_SECONDS; hour += HOUR_SECONDS)
    await usageRollup.sum(store, hour, pause);
}

const declared = (parts: JobParts): SumJob[] => [...sumsOfCalls(parts), ...sumsOfMargins(parts)];

const sumsOfCalls = ({ store, settings }: JobParts): SumJob[] => [
  {
    name: 'usage-rollup',
    title: { zh: '用量汇总', en: 'Usage sums' },
    description: {
      zh: '按用户、渠道和模型汇总已结束的小时用量，供日志和看板快速统计。',
      en: 'Sums finished hours by user, channel and model, so that logs and dashboard load quickly.',
    },
    everySeconds: 600,
    sum: (pause) => sumPeriods({ store }, usageRollup, pause),
  },
  {
    name: 'usage-cells',
    title: { zh: '用量报表汇总', en: 'Usage report totals' },
    description: {
      zh: '把新的日志行按小时和天计入用量报表。',
      en: 'Adds new log rows to the hours and days of the usage reports.',
    },
    everySeconds: 20,
    async sum(pause) {
      const passed = await follow(store, usageCells(store), pause);
      return passed + (await follow(store, holderCells(store), pause));
    },
  },
  {
    name: 'measured-calls',
    title: { zh: '模型实测汇总', en: 'Model measurements' },
    description: {
      zh: '按模型统计付费调用的成功、失败、首字时间和速度，供模型页和状态页显示。',
      en: 'Counts answers, failures, first tokens and speeds of paid calls by model, for the model pages and the status page.',
    },
    everySeconds: 20,
    async sum(pause) {
      const isLogged = () => settings.current.LogConsumeEnabled;
      const passed = await follow(store, measuredCalls({ store, isLogged }), pause);
      return passed + (await sumPeriods({ store }, refusedCalls(), pause));
    },
  },
  {
    name: 'measured-days',
    title: { zh: '模型实测按天汇总', en: 'Model measurements by day' },
    description: {
      zh: '按站点时区汇总已结束的每一天的模型实测数据，供状态页快速读取。',
      en: "Sums the model measurements of finished days (in the site's time zone), so that the status page loads quickly.",
    },
    everySeconds: 3600,
    sum: (pause) => sumDays({ store, zone: settings.current.SiteTimeZone, now: unixSeconds() }, pause),
  },
  {
    name: 'cost-days',
    title: { zh: '费用报表汇总', en: 'Cost report totals' },
    description: {
      zh: '汇总已结束的每一天的费用，供费用报表快速读取。',
      en: 'Sums the charges of finished days, so that cost reports load quickly.',
    },
    everySeconds: 1800,
    async sum(pause) {
      const count = await sumPeriods({ store }, costDays, pause);
      // A settlement that came late, from the spool of a node that was gone, is missing in the hours of the logs, too.
      return count + (await sumChangedDays(store, pause, (day) => sumHoursOfDay(store, day, pause)));
    },
  },
];

const sumsOfMargins = ({ store }: JobParts): SumJob[] => [
  {
    name: 'cache-savings',
    title: { zh: '缓存节省汇总', en: 'Cache savings' },
    description: {
      zh: '按渠道和模型统计提示词有多少读自上游的缓存、节省了多少，供毛利、渠道和模型页面快速读取。',
      en: "Counts by channel and model how much of the prompts came from upstreams' caches and what that saved, so that margins and the pages of channels and models load quickly.",
    },
    everySeconds: 20,
    sum: (pause) => follow(store, cacheCells(store), pause),
  },
  {
    name: 'margin-sums',
    title: { zh: '毛利汇总', en: 'Margin totals' },
    description: {
      zh: '汇总已结束的每一天和每一周的毛利，供毛利页快速读取。',
      en: 'Sums the margins of finished days and weeks, so that the margins page loads quickly.',
    },
    everySeconds: 3600,
    sum: (pause) => sumMarginSpans({ store }, pause),
  },
];
