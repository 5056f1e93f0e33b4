/**
 * A QR code for a phone: the link of the chosen client, or address and key. It contains the whole
 * key, so it is shown on a click and hidden after a while.
 */
import { Button } from '@mantine/core';
import { IconQrcode } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { REVEAL_SECONDS } from '#web/ui/copy/mask.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { CLIENT_NAMES, guideOf, type ClientId, type Connection } from './clients.ts';
import classes from './connect.module.css';

const Qr = lazy(() => loadPart(async () => ({ default: (await import('#web/ui/qr/qr.tsx')).Qr })));

const SIZE = 176;

interface PhoneCodeProps {
  client: ClientId;
  connection: Connection;
}

export function PhoneCode({ client, connection }: PhoneCodeProps) {
  const { t } = useTranslation('tokens');
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!shown) return undefined;
    const timer = setTimeout(() => setShown(false), REVEAL_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [shown]);
  const { link } = guideOf(client, connection);
  if (!shown)
    return (
      <Button
        variant="default"
        className={classes.phoneButton}
        leftSection={<IconQrcode size={15} stroke={1.6} />}
        onClick={() => setShown(true)}
      >
        {t('connect.phone.show')}
      </Button>
    );
  return (
    <div className={classes.phone}>
      <Suspense fallback={<span className={classes.phoneRoom} />}>
        <Qr
          text={link ?? `${connection.host}/v1\n${connection.key}`}
          label={t('connect.phone.code')}
          size={SIZE}
        />
      </Suspense>
      <div>
        <p>{link ? t('connect.phone.link', { name: CLIENT_NAMES[client] }) : t('connect.phone.text')}</p>
        <p>{t('connect.phone.secret', { count: REVEAL_SECONDS })}</p>
        <Button variant="default" onClick={() => setShown(false)}>
          {t('connect.phone.hide')}
        </Button>
      </div>
    </div>
  );
}
