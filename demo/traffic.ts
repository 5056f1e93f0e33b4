// Thirty days of calls as a list, oldest first: nights and weekends are quiet, the site grows, some calls fail, one channel
// has a bad afternoon. A pure function: the same input gives the same list.
import { DAY_SECONDS, HOUR_SECONDS } from '#contract/time.ts';
import { PEOPLE } from './users.ts';
import { MODELS, type ModelHabit } from './model-habits.ts';
import { createRandom, type Random } from './random.ts';

export const DAYS = 30;
/** The newest call is at least this old: the live calls follow. */
const LAST_CALL_SECONDS = 90;

/** How busy each hour of the local day is. */
const HOURS = [
  2, 1.4, 1, 0.8, 0.8, 1, 1.8, 3.4, 6, 8.6, 9.6, 9.2, 7.4, 8.4, 9.8, 9.6, 8.8, 7.6, 6.6, 6.2, 6, 5.2, 4, 3,
] as const;
const WEEKEND = 0.45;
const FIRST_DAY = 0.65;
const LAST_DAY = 1.2;

/** Of calls, outside the bad afternoon. */
const FAILS = 0.008;
const IS_RETRIED = 0.028;
/** Days ago, local hours, and the part of the channel's attempts that fail. */
const BAD_AFTERNOON = { daysAgo: 6, from: 14, to: 17, channel: 'anthropic-direct', fails: 0.6 } as const;

const FAULTS = [
  { status: 429, error: 'status 429: Rate limit reached for requests' },
  { status: 500, error: 'status 500: The server had an error while processing your request' },
  { status: 503, error: 'status 503: The engine is currently overloaded, please try again later' },
  { status: 0, error: 'timeout' },
] as const;
const OVERLOADED = { status: 529, error: 'status 529: Overloaded' } as const;

export interface TrafficAttempt {
  channel: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  milliseconds: number;
  error?: string;
}

export interface TrafficCall {
  /** Unix seconds. */
  at: number;
  /** Index in the callers. */
  person: number;
  /** Index in the person's tokens. */
  token: number;
  model: string;
  path: string;
  isStream: boolean;
  input: number;
  cacheRead: number;
  output: number;
  useTimeMs: number;
  /** 0 when the answer was not streamed. */
  firstTokenMs: number;
  attempts: TrafficAttempt[];
  hasFailed: boolean;
}

export interface TrafficCaller {
  /** Part of the calls. */
  share: number;
  tokens: readonly string[];
}

export interface TrafficWish {
  /** Unix seconds. */
  now: number;
  calls: number;
  callers?: readonly TrafficCaller[];
  seed?: number;
}

export function trafficOf({ now, calls, callers = PEOPLE, seed = 20_261_116 }: TrafficWish): TrafficCall[] {
  const random = createRandom(seed);
  const hours = DAYS * 24;
  const start = now - (now % HOUR_SECONDS) - (hours - 1) * HOUR_SECONDS;
  // The last hour is not over yet.
  const secondsOf = (hour: number) => Math.min(HOUR_SECONDS, Math.max(0, now - LAST_CALL_SECONDS - hour));
  const weights = Array.from({ length: hours }, (_, index) => {
    const hour = start + index * HOUR_SECONDS;
    return (weightOf(hour, index) * secondsOf(hour)) / HOUR_SECONDS;
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const list: TrafficCall[] = [];
  let expected = 0;
  for (const [index, weight] of weights.entries()) {
    expected += (weight / total) * calls;
    const hour = start + index * HOUR_SECONDS;
    const count = Math.round(expected) - list.length;
    const times = Array.from({ length: count }, () =>
      Math.floor(random.between(hour, hour + secondsOf(hour))),
    );
    for (const at of times.toSorted((left, right) => left - right))
      list.push(callAt(at, now, callers, random));
  }
  return list;
}

function weightOf(hour: number, index: number): number {
  const local = new Date(hour * 1000);
  const isWeekend = local.getDay() === 0 || local.getDay() === 6;
  const growth = FIRST_DAY + ((LAST_DAY - FIRST_DAY) * index) / (DAYS * 24);
  return (HOURS[local.getHours()] ?? 1) * (isWeekend ? WEEKEND : 1) * growth;
}

function callAt(at: number, now: number, callers: readonly TrafficCaller[], random: Random): TrafficCall {
  const habit = habitOf(random);
  const person = random.weighted(callers.map(({ share }) => share));
  const token = random.weighted((callers[person]?.tokens ?? []).map((_, index) => 3 - index));
  const isStream = random.chance(habit.streams);
  const whole = random.skewed(...habit.input);
  const cacheRead =
    habit.cached > 0 && whole > 1500 && random.chance(0.6) ? Math.round(whole * habit.cached) : 0;
  const output = habit.output[1] === 0 ? 0 : random.skewed(...habit.output);
  const firstTokenMs = random.skewed(...habit.firstTokenMs);
  const answerMs = Math.round(firstTokenMs + output * habit.msPerToken * random.between(0.8, 1.3));
  const attempts = attemptsOf({ habit, at, now, answerMs, firstTokenMs }, random);
  const last = attempts.at(-1);
  const hasFailed = last?.error !== undefined;
  const lostMs = attempts.slice(0, -1).reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  return {
    at,
    person,
    token,
    model: habit.name,
    path: habit.path,
    isStream,
    input: whole - cacheRead,
    cacheRead,
    output,
    useTimeMs: lostMs + (last?.milliseconds ?? 0),
    firstTokenMs: isStream && !hasFailed ? lostMs + firstTokenMs : 0,
    attempts,
    hasFailed,
  };
}

function habitOf(random: Random): ModelHabit {
  const habit = MODELS[random.weighted(MODELS.map(({ share }) => share))];
  if (habit === undefined) throw new Error('there is no model');
  return habit;
}

interface AttemptWish {
  habit: ModelHabit;
  at: number;
  now: number;
  answerMs: number;
  firstTokenMs: number;
}

/** The channels of the model in their order: each that fails passes the call on, the last one decides. */
function attemptsOf({ habit, at, now, answerMs, firstTokenMs }: AttemptWish, random: Random) {
  const attempts: TrafficAttempt[] = [];
  for (const [index, channel] of habit.channels.entries()) {
    const isLast = index === habit.channels.length - 1;
    const isBad = channel === BAD_AFTERNOON.channel && isBadAfternoon(at, now);
    const part = isBad ? BAD_AFTERNOON.fails : isLast ? FAILS : IS_RETRIED;
    if (!random.chance(part)) {
      attempts.push({ channel, status: 200, milliseconds: answerMs });
      return attempts;
    }
    const { status, error } = isBad ? OVERLOADED : random.pick(FAULTS);
    const milliseconds = status === 0 ? 30_000 : Math.round(firstTokenMs * random.between(0.3, 0.9));
    attempts.push({ channel, status, milliseconds, error });
  }
  return attempts;
}

/** Its first second, and the first one after it. */
export function badAfternoon(now: number): { start: number; end: number } {
  const day = new Date((now - BAD_AFTERNOON.daysAgo * DAY_SECONDS) * 1000);
  const at = (hour: number) => Math.floor(new Date(day).setHours(hour, 0, 0, 0) / 1000);
  return { start: at(BAD_AFTERNOON.from), end: at(BAD_AFTERNOON.to) };
}

function isBadAfternoon(at: number, now: number): boolean {
  const { start, end } = badAfternoon(now);
  return at >= start && at < end;
}
