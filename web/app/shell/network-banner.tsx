/** One line on top while the browser is offline or the server does not answer. */
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCloudOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#web/api/errors.ts';
import { statusQuery } from '#web/api/status.ts';
import { useOnline } from '#web/app/use-online.ts';
import classes from './shell.module.css';

export function NetworkBanner() {
  const { t } = useTranslation(['shell', 'ui']);
  const online = useOnline();
  const { error, refetch } = useQuery(statusQuery);
  if (online && !error) return null;
  const unreachable = error instanceof ApiError && error.status === 0;
  const text = !online
    ? t('network.lost')
    : unreachable
      ? t('network.unreachable')
      : t('network.statusFailed');
  return (
    <div className={`row8 small ${classes.network}`} role="alert">
      <IconCloudOff size={15} stroke={1.6} aria-hidden />
      <span>{text}</span>
      {online ? (
        <UnstyledButton className={classes.networkRetry} onClick={() => void refetch()}>
          {t('action.retry', { ns: 'ui' })}
        </UnstyledButton>
      ) : null}
    </div>
  );
}
