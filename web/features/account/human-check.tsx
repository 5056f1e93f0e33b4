/** The human check, loaded only where the operator enabled it. A form needs its token before it is sent. */
import { IconCircleCheckFilled } from '@tabler/icons-react';
import { Button, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadScript } from '#web/ui/content/trusted.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { noteHumanCheck } from '#web/ui/login/human-check-state.ts';
import classes from './human-check.module.css';

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

interface Turnstile {
  render(
    element: HTMLElement,
    options: {
      sitekey: string;
      theme: 'light' | 'dark';
      callback: (token: string) => void;
      'expired-callback': () => void;
      'error-callback': () => void;
    },
  ): string;
  /** A token is valid for one call, so the widget is reset. */
  reset(id: string): void;
  remove(id: string): void;
}

const turnstile = () => (globalThis as { turnstile?: Turnstile }).turnstile;
let loading: Promise<void> | undefined;

async function loadOnce(): Promise<void> {
  loading ??= loadScript(SCRIPT);
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

interface HumanCheckProps {
  siteKey: string;
  token: string;
  onToken: (token: string) => void;
}

export function HumanCheck({ siteKey, token, onToken }: HumanCheckProps) {
  const { t } = useTranslation('account');
  const theme = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const host = useRef<HTMLDivElement>(null);
  const widget = useRef<string>(undefined);
  const used = useRef(false);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(1);
  const report = useRef(onToken);
  useEffect(() => {
    report.current = onToken;
  });
  useEffect(() => {
    let gone = false;
    // The forms wait again while it is loaded once more.
    if (attempt > 1) noteHumanCheck('loading');
    const fail = () => {
      if (gone) return;
      setFailed(true);
      noteHumanCheck('failed');
    };
    loadOnce().then(() => {
      const check = turnstile();
      if (gone || !host.current || !check) return;
      widget.current = check.render(host.current, {
        sitekey: siteKey,
        theme,
        callback: (value) => report.current(value),
        'expired-callback': () => report.current(''),
        'error-callback': fail,
      });
    }, fail);
    return () => {
      gone = true;
      noteHumanCheck('loading');
      if (widget.current) turnstile()?.remove(widget.current);
      widget.current = undefined;
    };
  }, [siteKey, theme, attempt]);
  const retry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  useEffect(() => {
    if (used.current && !token && widget.current) turnstile()?.reset(widget.current);
    used.current = token !== '';
  }, [token]);
  return (
    <div className={classes.human} data-passed={token ? true : undefined}>
      <p role="status">
        {token ? <IconCircleCheckFilled size={18} aria-hidden /> : failed ? null : <PostLoader />}
        {token ? t('human.passed') : failed ? t('human.failed') : t('human.loading')}
        <span>Turnstile</span>
      </p>
      {failed && !token ? (
        <Button variant="default" size="compact-sm" onClick={retry}>
          {t('human.retry')}
        </Button>
      ) : null}
      <div ref={host} hidden={Boolean(token)} />
    </div>
  );
}
