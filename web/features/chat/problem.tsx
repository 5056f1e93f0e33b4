/** Why there is no chat. Without an enabled token the page redirects to the tokens unless the user cancels. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import type { ChatProblem } from './use-chat.ts';
import { useRedirect } from './use-redirect.ts';
import classes from './chat.module.css';

const REDIRECT_MILLISECONDS = 1500;

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
  const { seconds, isStaying, stay } = useRedirect(
    REDIRECT_MILLISECONDS,
    () => void navigate({ to: '/token' }),
  );
  return (
    <>
      {isStaying ? null : <span>{t('redirect', { seconds })}</span>}
      <div className={`row10 ${classes.actions}`}>
        <Button onClick={() => void navigate({ to: '/token' })}>{t('toTokens')}</Button>
        {isStaying ? null : (
          <Button variant="default" onClick={stay}>
            {t('stay')}
          </Button>
        )}
      </div>
    </>
  );
}
