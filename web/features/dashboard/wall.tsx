/** Every channel as a small tile, coloured when it fails. A tile opens its part of the log. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled, IconCircleMinus, IconClockExclamation } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChannelUsage } from '#contract/admin/dashboard.ts';
import type { LogFilter } from './log-filter.ts';
import classes from './wall.module.css';

export const PLATES = ['good', 'idle', 'slow', 'failing', 'stopped', 'off'] as const;
export type Plate = (typeof PLATES)[number];

const SLOW_MS = 30_000;
const FAILING_SHARE = 0.1;
const CHANNEL_OFF = 2;
const CHANNEL_STOPPED = 3;

export function plateOf({ status, count, error_count, use_time_ms }: ChannelUsage): Plate {
  if (status === CHANNEL_STOPPED) return 'stopped';
  if (status === CHANNEL_OFF) return 'off';
  const calls = count + error_count;
  if (calls === 0) return 'idle';
  if (error_count / calls > FAILING_SHARE) return 'failing';
  return count > 0 && use_time_ms / count > SLOW_MS ? 'slow' : 'good';
}

const ICONS = {
  failing: IconAlertTriangleFilled,
  stopped: IconAlertTriangleFilled,
  slow: IconClockExclamation,
  off: IconCircleMinus,
};

function PlateIcon({ plate }: { plate: Plate }) {
  if (plate === 'good' || plate === 'idle') return null;
  const Icon = ICONS[plate];
  return <Icon size={12} stroke={1.6} aria-hidden />;
}

export function Wall({ channels, filter }: { channels: readonly ChannelUsage[]; filter: LogFilter }) {
  const { t } = useTranslation('dashboard');
  // Deleted channels are left out.
  const present = channels.filter(({ status }) => status > 0).map((one) => ({ one, plate: plateOf(one) }));
  const counted = PLATES.map((plate) => ({
    plate,
    count: present.filter((each) => each.plate === plate).length,
  })).filter(({ count }) => count > 0);
  return (
    <>
      <ul className={classes.wall}>
        {present.map(({ one, plate }) => {
          const calls = one.count + one.error_count;
          const label = t('wall.plate', {
            id: one.id,
            name: one.name,
            state: t(`wall.${plate}`),
            calls,
            rate: calls === 0 ? '–' : `${((one.count / calls) * 100).toFixed(1)}%`,
            seconds: one.count === 0 ? '–' : (one.use_time_ms / one.count / 1000).toFixed(2),
          });
          return (
            <li key={one.id}>
              <Tooltip label={label}>
                <Link to="/log" search={{ ...filter, channel: one.id }} data-plate={plate} aria-label={label}>
                  <PlateIcon plate={plate} />
                  {one.id}
                </Link>
              </Tooltip>
            </li>
          );
        })}
      </ul>
      <ul className={`flex caption ${classes.counts}`}>
        {counted.map(({ plate, count }) => (
          <li key={plate} data-plate={plate}>
            {plate === 'good' || plate === 'idle' ? <i data-plate={plate} aria-hidden /> : null}
            <PlateIcon plate={plate} />
            {count} {t(`wall.${plate}`)}
          </li>
        ))}
      </ul>
    </>
  );
}
