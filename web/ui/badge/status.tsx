/** State = colour + icon + word. For good states only the icon is coloured. */
import {
  IconAlertTriangleFilled,
  IconBatteryOff,
  IconCircle,
  IconCircleCheckFilled,
  IconCircleMinus,
  IconCircleX,
  IconClockX,
  IconShieldLock,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { PostLoader } from './posts.tsx';
import classes from './badge.module.css';

export type StatusKind =
  | 'enabled'
  | 'restricted'
  | 'disabled'
  | 'auto-disabled'
  | 'expired'
  | 'exhausted'
  | 'failed'
  | 'queued'
  | 'running';

const ICONS: Record<StatusKind, ReactNode> = {
  enabled: <IconCircleCheckFilled size={14} />,
  restricted: <IconShieldLock size={14} stroke={1.6} />,
  disabled: <IconCircleMinus size={14} stroke={1.6} />,
  'auto-disabled': <IconAlertTriangleFilled size={14} />,
  expired: <IconClockX size={14} stroke={1.6} />,
  exhausted: <IconBatteryOff size={14} stroke={1.6} />,
  failed: <IconCircleX size={14} stroke={1.6} />,
  queued: <IconCircle size={14} stroke={1.6} />,
  running: <PostLoader />,
};

export function StatusBadge({ kind, children }: { kind: StatusKind; children: ReactNode }) {
  return (
    <span className={`inline6 soft ${classes.status}`} data-kind={kind}>
      <span className={classes.statusIcon} aria-hidden>
        {ICONS[kind]}
      </span>
      {children}
    </span>
  );
}
