/** What happened to a thing and who did it, newest first. */
import type { ReactNode } from 'react';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime, eventTime } from '#web/ui/format/time.ts';
import classes from './lists.module.css';

export interface ThingEvent {
  key: string;
  at: number;
  text: ReactNode;
  tone?: 'danger' | 'warning';
}

interface EventsProps {
  events: readonly ThingEvent[];
  /** Of one course, where minutes matter: older events have a time too, today's the second. */
  isExact?: boolean;
}

export function Events({ events, isExact = false }: EventsProps) {
  const now = useNow();
  return (
    <ol className={classes.events} data-exact={isExact || undefined}>
      {events.map(({ key, at, text, tone }) => (
        <li key={key} data-tone={tone}>
          <time
            className="note tabular"
            dateTime={new Date(at * 1000).toISOString()}
            title={absoluteTime(at)}
          >
            {eventTime(at, now, isExact)}
          </time>
          <span className="anywhere">{text}</span>
        </li>
      ))}
    </ol>
  );
}
