/** Logins through other accounts and by passkey, as equal buttons, only those the operator enabled. */
import { UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  REDIRECT_PROVIDERS,
  type OutsideProvider,
  type RedirectProvider,
} from '#contract/admin/outside-logins.ts';
import type { LoginAnswer } from '#contract/admin/session.ts';
import type { StatusView } from '#contract/admin/site.ts';
import { redirectToProvider } from '#web/api/outside-logins.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import { ProviderIcon } from '#web/ui/login/provider-icon.tsx';
import { enabledProviders, useProviderName } from '#web/ui/login/providers.ts';
import { storedInvite } from '#web/features/account/register/invite.ts';
import { lastLogin, storeLastLogin } from '#web/features/account/login/last-used.ts';
import classes from './outside-logins.module.css';

const WeChatDialog = lazy(() => loadPart(() => import('./wechat-dialog.tsx')));
const SignOnDialog = lazy(() => loadPart(() => import('./sign-on-dialog.tsx')));
const TelegramDialog = lazy(() => loadPart(() => import('./telegram-dialog.tsx')));

/** Telegram only signs in to accounts that bound it; it creates none. */
const makesAccounts = (provider: OutsideProvider) => provider !== 'telegram';

function isRedirect(provider: OutsideProvider): provider is RedirectProvider {
  return (REDIRECT_PROVIDERS as readonly string[]).includes(provider);
}

export function hasOutsideLogins(status: StatusView): boolean {
  return enabledProviders(status).length > 0 || status.organization_sign_on;
}

export function hasOutsideSignUps(status: StatusView): boolean {
  return enabledProviders(status).some(makesAccounts);
}

interface OutsideLoginsProps {
  status: StatusView;
  /** The page to go to afterwards. */
  next?: string;
  /** Only WeChat answers on this page; the others return to /oauth/{provider}. */
  onAnswer: (answer: LoginAnswer, method: OutsideProvider) => void;
  passkey?: { pending: boolean; onClick: () => void };
  /** Only logins that can create an account. */
  forSignUp?: boolean;
}

export function OutsideLogins({ status, next, onAnswer, passkey, forSignUp = false }: OutsideLoginsProps) {
  const { t } = useTranslation('account');
  const [dialog, setDialog] = useState<'wechat' | 'telegram' | 'sign_on'>();
  const leave = useMutation({
    mutationFn: async (provider: RedirectProvider) => {
      await redirectToProvider(provider, { aff: storedInvite(), next });
      storeLastLogin(provider);
    },
  });
  const open = (provider: OutsideProvider) => {
    if (isRedirect(provider)) leave.mutate(provider);
    else setDialog(provider);
  };
  const shown = enabledProviders(status).filter((provider) => !forSignUp || makesAccounts(provider));
  const last = lastLogin();
  const nameOf = useProviderName();
  return (
    <div className={classes.outside}>
      {shown.map((provider) => (
        <UnstyledButton
          key={provider}
          className={classes.outsideButton}
          data-last={provider === last || undefined}
          disabled={leave.isPending}
          onClick={() => open(provider)}
        >
          <ProviderIcon provider={provider} />
          <span className="grow cut">{nameOf(provider, status)}</span>
          {provider === last ? <Tag>{t('login.lastUsed')}</Tag> : null}
        </UnstyledButton>
      ))}
      {status.organization_sign_on && !forSignUp ? (
        <UnstyledButton
          className={classes.outsideButton}
          data-last={last === 'sign_on' || undefined}
          onClick={() => setDialog('sign_on')}
        >
          <ProviderIcon provider="oidc" />
          <span className="grow cut">{t('signOn.title')}</span>
          {last === 'sign_on' ? <Tag>{t('login.lastUsed')}</Tag> : null}
        </UnstyledButton>
      ) : null}
      {passkey ? (
        <UnstyledButton
          className={classes.outsideButton}
          data-last={last === 'passkey' || undefined}
          disabled={passkey.pending}
          onClick={passkey.onClick}
        >
          <ProviderIcon provider="passkey" />
          <span className="grow cut">{nameOf('passkey', status)}</span>
          {last === 'passkey' ? <Tag>{t('login.lastUsed')}</Tag> : null}
        </UnstyledButton>
      ) : null}
      <Suspense>
        {dialog === 'wechat' ? (
          <WeChatDialog
            picture={status.wechat_qrcode}
            onClose={() => setDialog(undefined)}
            onAnswer={(answer) => {
              setDialog(undefined);
              onAnswer(answer, 'wechat');
            }}
          />
        ) : null}
        {dialog === 'sign_on' ? <SignOnDialog next={next} onClose={() => setDialog(undefined)} /> : null}
        {dialog === 'telegram' ? (
          <TelegramDialog
            botName={status.telegram_bot_name}
            next={next}
            onClose={() => setDialog(undefined)}
          />
        ) : null}
      </Suspense>
    </div>
  );
}
