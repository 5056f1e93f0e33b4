// Puts the facts of the status page together, from what is kept: the days and the last minutes of each model, incidents, and how long
// top-ups took.
import {
  answeredShare,
  LEAST_CALLS,
  type MeasuredDay,
  type Measuring,
  type Outcome,
} from '#contract/admin/measured.ts';
import type { Incident } from '#contract/admin/incidents.ts';
import type {
  StatusDay,
  StatusFacts,
  StatusFamily,
  StatusRow,
  StatusState,
  TopUpTimes,
} from '#contract/admin/status-page.ts';
import type { Settings } from '#contract/settings.ts';
import { DAY_SECONDS } from '#contract/time.ts';
import { nowSeconds, type Clock } from '#server/admin/clock.ts';
import type { Store } from '#server/platform/store/store.ts';
import { readIncidents } from './incidents.ts';
import { publicModels, type PublicModelParts, type StatusModel } from './public-models.ts';

const INCIDENT_DAYS = 90;
const MOST_INCIDENTS = 50;
const STEPS = 12;
const TOP_UP_DAYS = 7;
const FEWEST_TOP_UPS = 5;
const MOST_TOP_UPS = 5000;
/** Below this part of answers a model does not work for everybody. */
const WORKING_SHARE = 0.95;

export interface StatusParts extends Clock, PublicModelParts {
  settings: {
    readonly current: Pick<
      Settings,
      'UserUsableGroups' | 'GroupRatio' | 'SiteTimeZone' | 'LogConsumeEnabled'
    >;
  };
  measuring: Pick<Measuring, 'days' | 'now' | 'steps' | 'siteMeasured'>;
}

export async function statusFacts(parts: StatusParts): Promise<StatusFacts> {
  const { store, settings, measuring } = parts;
  const at = nowSeconds(parts);
  const models = await publicModels(parts);
  const names = models.map(({ name }) => name);
  const known = new Set(names);
  const [days, recent, steps, figures, topUps, incidents] = await Promise.all([
    measuring.days(),
    measuring.now(),
    measuring.steps(names, STEPS),
    measuring.siteMeasured(names),
    topUpTimes(store, at),
    readIncidents(store.db, {
      most: MOST_INCIDENTS,
      since: at - INCIDENT_DAYS * DAY_SECONDS,
      mayShow: (model) => known.has(model),
    }),
  ]);
  const stateOf = statesOf(incidents, recent);
  const { median, calls } = figures.firstToken ?? {};
  return {
    at,
    zone: settings.current.SiteTimeZone,
    now: sumOf(names, recent),
    steps,
    firstToken: median === undefined || calls === undefined ? undefined : { median, calls },
    topUps,
    families: familiesOf(models, days, stateOf),
    gateway: gatewayOf(names, days, recent),
    models: names.length,
    incidents,
    isMeasured: settings.current.LogConsumeEnabled,
  };
}

const NOTHING: Outcome = { answered: 0, failed: 0, refused: 0 };

function sumOf(names: readonly string[], of: ReadonlyMap<string, Outcome>): Outcome {
  const sum = { ...NOTHING };
  for (const name of names) {
    const { answered, failed, refused } = of.get(name) ?? NOTHING;
    sum.answered += answered;
    sum.failed += failed;
    sum.refused += refused;
  }
  return sum;
}

/** Plain loops: this runs over every day of every model, on the thread that relays calls. */
function wholeOf(days: Iterable<Outcome>): Outcome {
  const sum = { ...NOTHING };
  for (const { answered, failed, refused } of days) {
    sum.answered += answered;
    sum.failed += failed;
    sum.refused += refused;
  }
  return sum;
}

/** Off by fact; in part when an operator says so, or when too many of the last calls were not answered. */
function statesOf(
  incidents: readonly Incident[],
  recent: ReadonlyMap<string, Outcome>,
): (model: string) => StatusState {
  const running = incidents.filter(({ ended_at }) => ended_at === 0);
  const off = new Set(running.filter(({ kind }) => kind === 'measured').flatMap(({ models }) => models));
  const noted = new Set(running.flatMap(({ models }) => models));
  return (model) => {
    if (off.has(model)) return 'off';
    const share = answeredShare(recent.get(model) ?? NOTHING, LEAST_CALLS.now);
    return noted.has(model) || (share !== undefined && share < WORKING_SHARE) ? 'part' : 'working';
  };
}

function familiesOf(
  models: readonly StatusModel[],
  days: readonly MeasuredDay[],
  stateOf: (model: string) => StatusState,
): StatusFamily[] {
  return [...Map.groupBy(models, ({ family }) => family)]
    .map(([name, members]) => {
      const rows = members.map(({ name: model }): StatusRow => {
        const own = days.map(({ day, models: of }): StatusDay => {
          const { answered, failed, refused } = of.get(model) ?? NOTHING;
          return { day, answered, failed, refused };
        });
        return { name: model, state: stateOf(model), whole: wholeOf(own), days: own };
      });
      return { name, state: together(rows), ...joined(rows), models: rows };
    })
    .sort((left, right) => Number(left.name === '') - Number(right.name === ''));
}

/** Of several: off only when all are. */
function together(rows: readonly StatusRow[]): StatusState {
  if (rows.every(({ state }) => state === 'off')) return 'off';
  return rows.some(({ state }) => state !== 'working') ? 'part' : 'working';
}

function joined(rows: readonly StatusRow[]): Pick<StatusRow, 'whole' | 'days'> {
  const days = (rows[0]?.days ?? []).map(({ day }): StatusDay => ({ day, ...NOTHING }));
  for (const row of rows)
    for (const [at, { answered, failed, refused }] of row.days.entries()) {
      const sum = days[at];
      if (sum === undefined) continue;
      sum.answered += answered;
      sum.failed += failed;
      sum.refused += refused;
    }
  return { whole: wholeOf(days), days };
}

/** Every call that came to an upstream, or found no channel, was taken by the gateway. */
function gatewayOf(
  names: readonly string[],
  days: readonly MeasuredDay[],
  recent: ReadonlyMap<string, Outcome>,
): StatusFacts['gateway'] {
  const taken = (of: ReadonlyMap<string, Outcome>): Outcome => {
    const { answered, failed } = sumOf(names, of);
    const { refused } = of.get('') ?? NOTHING;
    return { answered: answered + failed, failed: refused, refused };
  };
  const own = days.map(({ day, models }): StatusDay => ({ day, ...taken(models) }));
  const share = answeredShare(taken(recent), LEAST_CALLS.now);
  const state = share !== undefined && share < WORKING_SHARE ? 'part' : 'working';
  return { state, whole: wholeOf(own), days: own };
}

/** From the order to the balance, so with the time that the customer took to pay. */
async function topUpTimes({ db }: Store, now: number): Promise<TopUpTimes | undefined> {
  const rows = await db
    .selectFrom('orders')
    .select(['created_at', 'paid_at'])
    .where('paid_at', '>=', now - TOP_UP_DAYS * DAY_SECONDS)
    .where('status', 'in', ['paid', 'refunded'])
    .orderBy('paid_at', 'desc')
    .limit(MOST_TOP_UPS)
    .execute();
  if (rows.length < FEWEST_TOP_UPS) return undefined;
  const seconds = rows
    .map(({ created_at, paid_at }) => Math.max(0, paid_at - created_at))
    .sort((left, right) => left - right);
  return {
    count: seconds.length,
    median: seconds[Math.floor((seconds.length - 1) / 2)] ?? 0,
    slowest: seconds.at(-1) ?? 0,
  };
}
