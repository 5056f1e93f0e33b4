/** Toasts answer actions only; a page that fails to load shows the error in place. */
import { UnstyledButton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleX,
  IconInfoCircle,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { getI18n } from 'react-i18next';
import { leavingFor, type ShownToast } from './toast-room.ts';
import classes from './feedback.module.css';

type Tone = 'success' | 'error' | 'warning' | 'info';

const ICONS: Record<Tone, ReactNode> = {
  success: <IconCircleCheckFilled size={16} />,
  error: <IconCircleX size={16} stroke={1.8} />,
  warning: <IconAlertTriangleFilled size={16} />,
  info: <IconInfoCircle size={16} stroke={1.8} />,
};

function icon(tone: Tone): ReactNode {
  return (
    <span className={classes.toastIcon} data-tone={tone}>
      {ICONS[tone]}
    </span>
  );
}

let shown: readonly ShownToast[] = [];

function show(tone: Tone, message: ReactNode, autoClose: number, id = `toast-${crypto.randomUUID()}`): void {
  const text = typeof message === 'string' ? message : undefined;
  for (const leaving of leavingFor(text, shown)) notifications.hide(leaving);
  shown = [...shown, { id, text }];
  notifications.show({
    id,
    message,
    autoClose,
    icon: icon(tone),
    withCloseButton: true,
    closeButtonProps: { 'aria-label': getI18n().t('action.close', { ns: 'ui' }) },
    role: tone === 'error' ? 'alert' : 'status',
    onClose: () => {
      shown = shown.filter((each) => each.id !== id);
    },
  });
}

/** What is on screen now. */
export const shownTexts = (): string[] => shown.flatMap(({ text }) => text ?? []);

export const toast = {
  success: (message: string) => show('success', message, 3500),
  error: (message: string) => show('error', message, 7000),
  warning: (message: string) => show('warning', message, 6000),
  info: (message: string) => show('info', message, 5000),
};

const UNDO_MILLISECONDS = 8000;

/** For reversible actions: done at once, with an undo button. */
export function undoToast(message: string, undo: () => void | Promise<void>): void {
  const id = `undo-${crypto.randomUUID()}`;
  show(
    'success',
    <span className="row12 between">
      <span>{message}</span>
      <UnstyledButton
        className={classes.undo}
        onClick={() => {
          notifications.hide(id);
          void undo();
        }}
      >
        {getI18n().t('action.undo', { ns: 'ui' })}
      </UnstyledButton>
    </span>,
    UNDO_MILLISECONDS,
    id,
  );
}
