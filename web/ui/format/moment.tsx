/** A relative time with the absolute one in the tooltip, updated by one shared clock. */
import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { unixSeconds } from '#contract/time.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { languageOf } from '#contract/language.ts';
import classes from './format.module.css';
import { absoluteTime, relativeTime } from './time.ts';

let now = unixSeconds();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = unixSeconds();
  timer ??= setInterval(() => {
    now = unixSeconds();
    for (const notify of listeners) notify();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** The current time in unix seconds, updated twice a minute. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Moment({ timestamp, absolute }: { timestamp: number; absolute?: boolean }) {
  const { i18n } = useTranslation();
  const current = useNow();
  if (timestamp <= 0) return <Empty />;
  const exact = absoluteTime(timestamp);
  return (
    <Tooltip label={exact}>
      <time dateTime={new Date(timestamp * 1000).toISOString()}>
        {absolute ? exact.slice(0, 16) : relativeTime(timestamp, current, languageOf(i18n.language))}
      </time>
    </Tooltip>
  );
}

/** Day and time with seconds, for lists whose rows are seconds apart. */
export function ExactMoment({ timestamp }: { timestamp: number }) {
  const exact = absoluteTime(timestamp);
  return (
    <Tooltip label={exact}>
      <time dateTime={new Date(timestamp * 1000).toISOString()} className={classes.exact}>
        <span>{exact.slice(5, 10)}</span> {exact.slice(11)}
      </time>
    </Tooltip>
  );
}
