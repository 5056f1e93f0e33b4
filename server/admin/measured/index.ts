// How paid calls went, for pages that anybody may read: from kept sums, at most a minute old, never from the log.
import type { MeasuredStep, Measuring } from '#contract/admin/measured.ts';
import { addDays, daysFrom, dayStart, siteDay } from '#contract/site-day.ts';
import type { Settings } from '#contract/settings.ts';
import { HOUR_SECONDS, MINUTE_SECONDS } from '#contract/time.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';
import { createDays } from './days.ts';
import { keeper } from './keep.ts';
import { figuresOf, NOTHING, readMeasured, readModels, readSteps, type CountRow } from './read.ts';

export { measuredCalls, removeOldCells } from './cells.ts';
export { sumDays } from './days.ts';
export { refusedCalls } from './refused.ts';

export const KEPT_SECONDS = 60;
export const NOW_SECONDS = 300;

export interface MeasuredDependencies extends Clock {
  store: Pick<Store, 'db'>;
  settings: { readonly current: Pick<Settings, 'SiteTimeZone'> };
}

export function createMeasuring(dependencies: MeasuredDependencies): Measuring {
  const { store, settings } = dependencies;
  const now = () => nowSeconds(dependencies);
  const everyMinute = { seconds: KEPT_SECONDS, now };
  const readDays = createDays(store);

  const hourStarts = (): number[] => {
    const hour = now() - (now() % HOUR_SECONDS);
    return Array.from({ length: 24 }, (_, at) => hour - (23 - at) * HOUR_SECONDS);
  };
  const dayStarts = (): number[] => {
    const zone = settings.current.SiteTimeZone;
    const today = siteDay(zone, now());
    return daysFrom(addDays(today, -29), today).map((day) => dayStart(zone, day));
  };
  const ofModel = keeper(async (key) => {
    const [span, model] = splitOnce(key);
    const starts = span === '24h' ? hourStarts() : dayStarts();
    const zone = settings.current.SiteTimeZone;
    const end = dayStart(zone, addDays(siteDay(zone, now()), 1));
    return await readMeasured(
      store,
      model,
      starts,
      span === '24h' ? (starts.at(-1) ?? 0) + HOUR_SECONDS : end,
    );
  }, everyMinute);

  const rows = keeper(async () => {
    const [from = 0] = hourStarts();
    return await readModels(store, { seconds: HOUR_SECONDS, from, to: now() + 1, withSpeeds: true });
  }, everyMinute);
  const days = keeper(() => readDays(settings.current.SiteTimeZone, now()), everyMinute);
  const recent = keeper(async () => {
    const minute = now() - (now() % MINUTE_SECONDS);
    return await readModels(store, {
      seconds: MINUTE_SECONDS,
      from: minute - NOW_SECONDS,
      to: now() + 1,
      withSpeeds: false,
    });
  }, everyMinute);
  const steps = keeper(async (key) => {
    const [count, names] = splitOnce(key);
    return await readRecentSteps(store, JSON.parse(names) as string[], Number(count), now());
  }, everyMinute);

  return {
    measuredOf: (model, span) => ofModel(`${span} ${model}`),
    async modelsMeasured() {
      return new Map([...(await rows(''))].map(([model, row]) => [model, figuresOf([row])]));
    },
    async siteMeasured(models) {
      const known = await rows('');
      return figuresOf([...models].map((model) => known.get(model) ?? NOTHING));
    },
    days: () => days(settings.current.SiteTimeZone),
    now: () => recent(''),
    steps: (models, count) => steps(`${count} ${JSON.stringify(models)}`),
  };
}

const splitOnce = (key: string): [string, string] => {
  const at = key.indexOf(' ');
  return [key.slice(0, at), key.slice(at + 1)];
};

async function readRecentSteps(
  store: Pick<Store, 'db'>,
  models: readonly string[],
  count: number,
  now: number,
): Promise<MeasuredStep[]> {
  const last = now - (now % NOW_SECONDS);
  const from = last - (count - 1) * NOW_SECONDS;
  const found: Map<number, CountRow> = await readSteps(store, models, {
    seconds: MINUTE_SECONDS,
    step: NOW_SECONDS,
    from,
    to: now + 1,
  });
  return Array.from({ length: count }, (_, at) => {
    const start = from + at * NOW_SECONDS;
    const { answered, failed, refused } = found.get(start) ?? NOTHING;
    return { start, answered, failed, refused };
  });
}
