/** Every channel as a small tile with its name, coloured when it fails. A tile opens the page of its channel. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconAlertTriangleFilled, IconCircleMinus, IconClockExclamation } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChannelUsage } from '#contract/admin/dashboard.ts';
import classes from './channel-tiles.module.css';

export const CHANNEL_STATES = ['good', 'idle', 'slow', 'failing', 'stopped', 'off'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

const SLOW_MS = 30_000;
const FAILING_SHARE = 0.1;
const CHANNEL_OFF = 2;
const CHANNEL_STOPPED = 3;

export function channelStateOf({ status, count, error_count, use_time_ms }: ChannelUsage): ChannelState {
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

function StateIcon({ state }: { state: ChannelState }) {
  if (state === 'good' || state === 'idle') return null;
  const Icon = ICONS[state];
  return <Icon size={12} stroke={1.6} aria-hidden />;
}

export function ChannelTiles({ channels }: { channels: readonly ChannelUsage[] }) {
  const { t } = useTranslation('dashboard');
  // Deleted channels are left out.
  const present = channels
    .filter(({ status }) => status > 0)
    .map((one) => ({ one, state: channelStateOf(one) }));
  const counted = CHANNEL_STATES.map((state) => ({
    state,
    count: present.filter((each) => each.state === state).length,
  })).filter(({ count }) => count > 0);
  return (
    <>
      <ul className={classes.tiles}>
        {present.map(({ one, state }) => {
          const calls = one.count + one.error_count;
          const label = t('tiles.tile', {
            name: one.name,
            state: t(`tiles.${state}`),
            calls,
            rate: calls === 0 ? '–' : `${((one.count / calls) * 100).toFixed(1)}%`,
            seconds: one.count === 0 ? '–' : (one.use_time_ms / one.count / 1000).toFixed(2),
          });
          return (
            <li key={one.id}>
              <Tooltip label={label}>
                <Link to="/channel/$id" params={{ id: String(one.id) }} data-state={state} aria-label={label}>
                  <StateIcon state={state} />
                  <span className="cut">{one.name || `#${one.id}`}</span>
                </Link>
              </Tooltip>
            </li>
          );
        })}
      </ul>
      <ul className={`flex caption ${classes.counts}`}>
        {counted.map(({ state, count }) => (
          <li key={state} data-state={state}>
            {state === 'good' || state === 'idle' ? <i data-state={state} aria-hidden /> : null}
            <StateIcon state={state} />
            {count} {t(`tiles.${state}`)}
          </li>
        ))}
      </ul>
    </>
  );
}
