/** Telegram's button: its script inserts a frame; a click navigates the page to `address`. */
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { loadScript } from '#web/ui/content/trusted.ts';
import classes from './login.module.css';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';

interface TelegramWidgetProps {
  botName: string;
  /** Receives the signed fields in its query. */
  address: string;
}

/** A retry is a new widget: the script runs when it is inserted. */
export function TelegramWidget(props: TelegramWidgetProps) {
  const [tries, setTries] = useState(0);
  return <Widget key={tries} {...props} onRetry={() => setTries(tries + 1)} />;
}

function Widget({ botName, address, onRetry }: TelegramWidgetProps & { onRetry: () => void }) {
  const { t, i18n } = useTranslation('ui');
  const host = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading');
  useEffect(() => {
    const parent = host.current;
    if (!parent) return undefined;
    let gone = false;
    loadScript(SCRIPT, {
      parent,
      attributes: {
        'data-telegram-login': botName,
        'data-size': 'large',
        'data-radius': '6',
        'data-userpic': 'false',
        'data-lang': i18n.language,
        'data-auth-url': address,
      },
    }).then(
      () => gone || setState('shown'),
      () => gone || setState('failed'),
    );
    return () => {
      gone = true;
      parent.replaceChildren();
    };
  }, [botName, address, i18n.language]);
  return (
    <div className={`stack8 row8 ${classes.telegram}`}>
      {state === 'loading' ? <PostLoader /> : null}
      {state === 'failed' ? (
        <>
          <p role="alert">{t('login.telegramFailed')}</p>
          <Button variant="default" onClick={onRetry}>
            {t('action.retry')}
          </Button>
        </>
      ) : null}
      <div ref={host} />
    </div>
  );
}
