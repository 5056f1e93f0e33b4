/** A permanent hint under a toolbar, or a box for an event. Toasts are never shown on load. */
import { ActionIcon } from '@mantine/core';
import { IconAlertTriangleFilled, IconClockExclamation, IconInfoCircle, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './feedback.module.css';

export function NoticeLine({ children }: { children: ReactNode }) {
  return (
    <p className={`row8 caption ${classes.noticeLine}`}>
      <IconInfoCircle size={14} stroke={1.6} aria-hidden />
      <span>{children}</span>
    </p>
  );
}

export type NoticeTone = 'info' | 'warning' | 'danger' | 'session';

interface NoticeBoxProps {
  tone: NoticeTone;
  children: ReactNode;
  /** Above a page, from side to side. */
  isWide?: boolean;
  onClose?: () => void;
}

export function NoticeBox({ tone, children, isWide, onClose }: NoticeBoxProps) {
  const { t } = useTranslation('ui');
  const Icon =
    tone === 'session' ? IconClockExclamation : tone === 'info' ? IconInfoCircle : IconAlertTriangleFilled;
  return (
    <div
      className={classes.noticeBox}
      data-tone={tone}
      data-wide={isWide || undefined}
      role={tone === 'info' ? 'note' : 'alert'}
    >
      <Icon size={16} stroke={1.6} aria-hidden />
      <div className={`grow ${classes.noticeContent}`}>{children}</div>
      {onClose ? (
        <ActionIcon size={24} onClick={onClose} aria-label={t('action.close')}>
          <IconX size={14} stroke={1.6} />
        </ActionIcon>
      ) : null}
    </div>
  );
}
