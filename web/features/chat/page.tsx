/**
 * A chat front end in a frame, with a bar that names the application and the token; other URL schemes open an app. Nothing is
 * loaded from the other site before the user has agreed that it gets the key of this token.
 */
import { ActionIcon, Button, Select, Tooltip } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { openChatLink, webHost } from '#web/ui/address/chat-links.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { agreeTo, hasAgreed } from './consent.ts';
import { useLimitedKey } from './limited-key.ts';
import { Problem } from './problem.tsx';
import { useChat, type ChatState } from './use-chat.ts';
import classes from './chat.module.css';

type Ready = Extract<ChatState, { kind: 'ready' }>;

export function ChatPage() {
  const { t } = useTranslation('chat');
  const { t: common } = useTranslation('ui');
  const navigate = useNavigate();
  const { id } = useParams({ strict: false });
  const index = id === undefined ? 0 : /^\d{1,4}$/.test(id) ? Number(id) : -1;
  const { state, links, tokens, setTokenId } = useChat(index);
  const ready = state.kind === 'ready' ? state : undefined;
  const host = ready ? webHost(ready.url) : undefined;
  const [, setAgreed] = useState(0);
  const mayHandOver = ready !== undefined && (host === undefined || hasAgreed(host, ready.token.id));
  const bar = (
    <>
      {links.length > 1 ? (
        <Select
          className={classes.app}
          aria-label={t('apps')}
          data={links.map((link, place) => ({ value: String(place), label: link.name }))}
          value={links[index] ? String(index) : null}
          allowDeselect={false}
          onChange={(value) => value && void navigate({ to: '/chat/$id', params: { id: value } })}
        />
      ) : null}
      {ready ? (
        <>
          <Select
            className={classes.token}
            aria-label={t('token')}
            data={tokens.map((token) => ({ value: String(token.id), label: token.name }))}
            value={String(ready.token.id)}
            allowDeselect={false}
            onChange={(value) => value && setTokenId(Number(value))}
          />
          {mayHandOver ? (
            <>
              <CopyButton text={ready.url} label={t('copyLink')} size={30} />
              <Tooltip label={t('newTab')}>
                <ActionIcon aria-label={t('newTab')} onClick={() => openChatLink(ready.url)}>
                  <IconExternalLink size={16} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            </>
          ) : null}
        </>
      ) : null}
    </>
  );
  return (
    <Page title={t('title')} actions={<div className="row8">{bar}</div>}>
      <div className={classes.phoneBar}>{bar}</div>
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
      {ready ? (
        host === undefined ? (
          <OpenApp ready={ready} />
        ) : mayHandOver ? (
          <ChatFrame key={ready.url} ready={ready} />
        ) : (
          <Ask
            host={host}
            token={ready.token.name}
            onAgree={(tokenId = ready.token.id) => {
              setTokenId(tokenId);
              agreeTo(host, tokenId);
              setAgreed((count) => count + 1);
            }}
          />
        )
      ) : null}
    </Page>
  );
}

interface AskProps {
  host: string;
  token: string;
  /** With the key that was made for it, or the chosen one. */
  onAgree: (tokenId?: number) => void;
}

function Ask({ host, token, onAgree }: AskProps) {
  const { t } = useTranslation('chat');
  const { t: common } = useTranslation('ui');
  const navigate = useNavigate();
  const limited = useLimitedKey(host, onAgree);
  return (
    <section className={classes.handover}>
      <h2>{t('ask.title', { host })}</h2>
      <p>{t('ask.text', { host, token })}</p>
      <p>{t('ask.advice')}</p>
      <div className={`row10 ${classes.actions}`}>
        <Button loading={limited.isPending} onClick={() => limited.mutate()}>
          {t('ask.make')}
        </Button>
        <Button variant="default" onClick={() => onAgree()}>
          {t('ask.go', { host })}
        </Button>
        <Button variant="default" onClick={() => void navigate({ to: '/token' })}>
          {common('action.cancel')}
        </Button>
      </div>
    </section>
  );
}

const SLOW_MILLISECONDS = 6000;

/** The front end needs its own storage; a page of this origin stays sandboxed. */
function sandboxOf(url: string): string {
  const rights = 'allow-scripts allow-forms allow-popups allow-downloads allow-modals';
  return new URL(url).origin === window.location.origin ? rights : `${rights} allow-same-origin`;
}

function ChatFrame({ ready }: { ready: Ready }) {
  const { t } = useTranslation('chat');
  const [isLoaded, setLoaded] = useState(false);
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <NoticeLine>{t('warning', { host: webHost(ready.url) })}</NoticeLine>
      {isSlow && !isLoaded ? (
        <div className={`row12 between ${classes.slow}`}>
          <span>{t('slow')}</span>
          <Button size="xs" variant="default" onClick={() => openChatLink(ready.url)}>
            {t('newTab')}
          </Button>
        </div>
      ) : null}
      <iframe
        className={classes.frame}
        src={ready.url}
        title={ready.link.name}
        sandbox={sandboxOf(ready.url)}
        referrerPolicy="no-referrer"
        allow="clipboard-write"
        onLoad={() => setLoaded(true)}
      />
    </>
  );
}

function OpenApp({ ready }: { ready: Ready }) {
  const { t } = useTranslation('chat');
  const { name } = ready.link;
  return (
    <section className={classes.handover}>
      <h2>{t('app.title', { name })}</h2>
      <p>{t('app.text', { token: ready.token.name })}</p>
      <Button onClick={() => openChatLink(ready.url)}>{t('app.open', { name })}</Button>
      <p className="size12 muted">{t('app.question')}</p>
    </section>
  );
}
