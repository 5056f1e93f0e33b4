/** Signing in by Telegram: the widget's button, loaded on demand. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { telegramLoginAddress } from '#web/api/outside-logins.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { TelegramWidget } from '#web/ui/login/telegram-widget.tsx';
import classes from '#web/features/account/account.module.css';

interface TelegramDialogProps {
  botName: string;
  next?: string;
  onClose: () => void;
}

export default function TelegramDialog({ botName, next, onClose }: TelegramDialogProps) {
  const { t } = useTranslation('account');
  const [address] = useState(() => telegramLoginAddress(next));
  return (
    <DialogFrame width={380} title={t('outside.telegramTitle')} onClose={onClose}>
      <p className={classes.dialogText}>{t('outside.telegramText')}</p>
      <TelegramWidget botName={botName} address={address} />
    </DialogFrame>
  );
}
