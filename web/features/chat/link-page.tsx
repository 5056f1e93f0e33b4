/** /chat2link: shows which host gets which key, then opens it. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { hostOf } from './links.ts';
import { Problem } from './problem.tsx';
import { useChat } from './use-chat.ts';
import classes from './chat.module.css';

export function ChatLinkPage() {
  const { t } = useTranslation('chat');
  const { t: common } = useTranslation('ui');
  const navigate = useNavigate();
  const { state } = useChat('redirect');
  const host = state.kind === 'ready' ? (hostOf(state.url) ?? state.link.name) : '';
  return (
    <Page title={t('title')}>
      {state.kind === 'waiting' ? (
        <div className={classes.waiting}>
          <PostLoader label={common('grid.loading')} />
        </div>
      ) : null}
      {state.kind === 'failed' ? (
        <div className={classes.problem}>
          <ErrorState message={errorMessage(state.error)} onRetry={state.retry} />
        </div>
      ) : null}
      {state.kind === 'problem' ? <Problem key={state.problem} problem={state.problem} /> : null}
      {state.kind === 'ready' ? (
        <section className={classes.handover}>
          <h2>{t('link.title')}</h2>
          <p>{t('link.text', { host, token: state.token.name })}</p>
          <div className={classes.actions}>
            <Button onClick={() => window.location.assign(state.url)}>{t('link.go', { host })}</Button>
            <Button variant="default" onClick={() => void navigate({ to: '/token' })}>
              {common('action.cancel')}
            </Button>
          </div>
        </section>
      ) : null}
    </Page>
  );
}
