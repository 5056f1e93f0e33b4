/** Why there is no chat. Without an enabled token the page redirects to the tokens unless the user cancels. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import type { ChatProblem } from './use-chat.ts';
import classes from './chat.module.css';

const REDIRECT_MILLISECONDS = 1500;
const TICK_MILLISECONDS = 100;

export function Problem({ problem }: { problem: ChatProblem }) {
  const { t } = useTranslation('chat');
  return (
    <div className={classes.problem}>
      <NoticeBox tone={problem === 'noToken' ? 'warning' : 'danger'}>{t(`error.${problem}`)}</NoticeBox>
      {problem === 'noToken' ? <ToTokens /> : null}
    </div>
  );
}

function ToTokens() {
  const { t } = useTranslation('chat');
  const navigate = useNavigate();
  const [left, setLeft] = useState(REDIRECT_MILLISECONDS);
  const [isStaying, setStaying] = useState(false);
  useEffect(() => {
    if (isStaying) return undefined;
    const until = performance.now() + REDIRECT_MILLISECONDS;
    const timer = setInterval(() => {
      const rest = until - performance.now();
      setLeft(Math.max(0, rest));
      if (rest > 0) return;
      clearInterval(timer);
      void navigate({ to: '/token' });
    }, TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isStaying, navigate]);
  return (
    <div className={classes.actions}>
      {isStaying ? null : (
        <>
          <span>{t('redirect', { seconds: (left / 1000).toFixed(1) })}</span>
          <Button variant="default" onClick={() => setStaying(true)}>
            {t('stay')}
          </Button>
        </>
      )}
      <Button onClick={() => void navigate({ to: '/token' })}>{t('toTokens')}</Button>
    </div>
  );
}
