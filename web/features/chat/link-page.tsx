/** /chat2link: names the host that gets the key, and redirects to it after a countdown. */
import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { webHost } from '#web/ui/address/chat-links.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { Problem } from './problem.tsx';
import { useChat } from './use-chat.ts';
import { useRedirect } from './use-redirect.ts';
import classes from './chat.module.css';

const REDIRECT_MILLISECONDS = 3000;

interface HandoverProps {
  url: string;
  host: string;
  token: string;
}

function Handover({ url, host, token }: HandoverProps) {
  const { t } = useTranslation('chat');
  const { t: common } = useTranslation('ui');
  const navigate = useNavigate();
  const go = () => window.location.assign(url);
  const { seconds, isStaying, stay } = useRedirect(REDIRECT_MILLISECONDS, go);
  return (
    <section className={classes.handover}>
      <h2>{t('link.title')}</h2>
      <p>{t('link.text', { host, token })}</p>
      {isStaying ? null : <p>{t('link.soon', { seconds })}</p>}
      <div className={`row10 ${classes.actions}`}>
        <Button onClick={go}>{t('link.go', { host })}</Button>
        <Button
          variant="default"
          onClick={() => {
            stay();
            void navigate({ to: '/token' });
          }}
        >
          {common('action.cancel')}
        </Button>
      </div>
    </section>
  );
}

export function ChatLinkPage() {
  const { t } = useTranslation('chat');
  const { t: common } = useTranslation('ui');
  const { state } = useChat('redirect');
  const host = state.kind === 'ready' ? (webHost(state.url) ?? state.link.name) : '';
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
      {state.kind === 'ready' ? <Handover url={state.url} host={host} token={state.token.name} /> : null}
    </Page>
  );
}
