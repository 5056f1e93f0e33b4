/** Signing in by Telegram: its own button, loaded only when it is asked for. */
import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { telegramLoginAddress } from '#web/api/outside-logins.ts';
import { TelegramWidget } from '#web/ui/login/telegram-widget.tsx';
import classes from './account.module.css';

interface TelegramDialogProps {
  botName: string;
  next?: string;
  onClose: () => void;
}

export default function TelegramDialog({ botName, next, onClose }: TelegramDialogProps) {
  const { t } = useTranslation(['account', 'ui']);
  const [address] = useState(() => telegramLoginAddress(next));
  return (
    <Modal
      opened
      size="sm"
      onClose={onClose}
      title={t('outside.telegramTitle')}
      closeButtonProps={{ 'aria-label': t('action.close', { ns: 'ui' }) }}
    >
      <p className={classes.dialogText}>{t('outside.telegramText')}</p>
      <TelegramWidget botName={botName} address={address} />
    </Modal>
  );
}
