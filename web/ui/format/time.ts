/** Times: relative for reading, absolute in the user's zone for the tooltip. Timestamps are unix seconds. */
import type { Language } from '#contract/language.ts';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const formatters = new Map<Language, Intl.RelativeTimeFormat>();

function formatter(language: Language): Intl.RelativeTimeFormat {
  const known = formatters.get(language);
  if (known) return known;
  const created = new Intl.RelativeTimeFormat(language === 'zh' ? 'zh-CN' : 'en', { numeric: 'always' });
  formatters.set(language, created);
  return created;
}

export function relativeTime(timestamp: number, now: number, language: Language): string {
  const seconds = timestamp - now;
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size);
  if (!unit)
    return language === 'zh'
      ? seconds > 0
        ? '1 分钟内'
        : '刚刚'
      : seconds > 0
        ? 'within a minute'
        : 'just now';
  const [name, size] = unit;
  // Truncated, so that "in 1 day" is never more than what is left.
  const text = formatter(language).format(Math.trunc(seconds / size), name);
  // One space between digits and Chinese, as everywhere in the console.
  return text.replace(/(\d)(?=\p{Script=Han})/u, '$1 ');
}

const pad = (value: number) => String(value).padStart(2, '0');

/** yyyy-MM-dd HH:mm:ss, the format of the specification, in the browser's zone. */
export function absoluteTime(timestamp: number): string {
  const date = new Date(timestamp * 1000);
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** Today's events have a time, older ones a day, those of other years the year too; exact ones day and time. */
export function eventTime(at: number, now: number, isExact: boolean): string {
  const [moment, today] = [absoluteTime(at), absoluteTime(now)];
  if (moment.slice(0, 10) === today.slice(0, 10)) return moment.slice(11, isExact ? 19 : 16);
  const end = isExact ? 16 : 10;
  return moment.slice(0, 4) === today.slice(0, 4) ? moment.slice(5, end) : moment.slice(0, end);
}

/** yyyy-MM-dd HH:mm in UTC, for documents that several readers compare. */
export function utcTime(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** Reads yyyy-MM-dd HH:mm[:ss]; undefined when it is not a real date. */
export function parseTime(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}):(\d{2})(?::(\d{2}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part)));
  const date = new Date(year, month - 1, day, hour, minute, second);
  const real = date.getMonth() === month - 1 && date.getDate() === day && date.getHours() === hour;
  return real && minute < 60 && second < 60 ? Math.floor(date.getTime() / 1000) : undefined;
}
