/** A request id in the palette leads to the row of its call in the log. */
import { requestIdSeconds } from '#contract/request-id.ts';
import { DAY_SECONDS } from '#contract/time.ts';

export interface CallHit {
  kind: 'log';
  label: string;
  description: string;
  request: string;
  /** Unix seconds. */
  from: number;
  to: number;
}

/** The id of a call of the console itself begins with its time in UTC, as digits. */
function consoleIdSeconds(text: string): number | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)[\w-]{8}$/.exec(text)?.slice(1, 7).map(Number);
  if (!parts) return undefined;
  const [year = 0, month = 1, day, hour, minute, second] = parts;
  return Math.floor(Date.UTC(year, month - 1, day, hour, minute, second) / 1000);
}

/** A request id holds its time; the range around it makes the log look at one partition or two. */
export function callOfRequest(text: string): CallHit | undefined {
  const time = requestIdSeconds(text) ?? consoleIdSeconds(text);
  if (time === undefined) return undefined;
  return {
    kind: 'log',
    label: text,
    description: '',
    request: text,
    from: time - DAY_SECONDS,
    to: time + DAY_SECONDS,
  };
}
