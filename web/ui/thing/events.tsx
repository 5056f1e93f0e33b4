/** What happened to a thing and who did it, newest first. */
import type { ReactNode } from 'react';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime } from '#web/ui/format/time.ts';
import classes from './lists.module.css';

export interface ThingEvent {
  key: string;
  at: number;
  text: ReactNode;
  tone?: 'danger' | 'warning';
}

/** Today's events have a time, older ones a day, those of other years the year too. */
function whenOf(at: number, now: number): string {
  const [moment, today] = [absoluteTime(at), absoluteTime(now)];
  if (moment.slice(0, 10) === today.slice(0, 10)) return moment.slice(11, 16);
  return moment.slice(0, 4) === today.slice(0, 4) ? moment.slice(5, 10) : moment.slice(0, 10);
}

export function Events({ events }: { events: readonly ThingEvent[] }) {
  const now = useNow();
  return (
    <ol className={classes.events}>
      {events.map(({ key, at, text, tone }) => (
        <li key={key} data-tone={tone}>
          <time
            className="note tabular"
            dateTime={new Date(at * 1000).toISOString()}
            title={absoluteTime(at)}
          >
            {whenOf(at, now)}
          </time>
          <span className="anywhere">{text}</span>
        </li>
      ))}
    </ol>
  );
}
