/** Logins through other accounts, as equal buttons, only those the operator enabled. */
import { UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconBrandGithub, IconMessageCircle2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { StatusView } from '#contract/site.ts';
import { request } from '#web/api/transport.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { storedInvite } from './invite.ts';
import classes from './account.module.css';

const LAST_USED = 'last-login';

const PROVIDERS = [
  {
    name: 'github',
    icon: IconBrandGithub,
    enabled: (status: StatusView) => status.github_oauth,
    authorise: (status: StatusView, state: string) =>
      `https://github.com/login/oauth/authorize?${new URLSearchParams({ client_id: status.github_client_id, state, scope: 'user:email' })}`,
  },
  {
    name: 'linuxdo',
    icon: IconMessageCircle2,
    enabled: (status: StatusView) => status.linuxdo_oauth,
    authorise: (status: StatusView, state: string) =>
      `https://connect.linux.do/oauth2/authorize?${new URLSearchParams({ response_type: 'code', client_id: status.linuxdo_client_id, state })}`,
  },
] as const;

export function hasOutsideLogins(status: StatusView): boolean {
  return PROVIDERS.some((provider) => provider.enabled(status));
}

export function OutsideLogins({ status }: { status: StatusView }) {
  const { t } = useTranslation('account');
  const start = useMutation({
    mutationFn: async (provider: (typeof PROVIDERS)[number]) => {
      const invite = storedInvite();
      const { data } = await request(
        'GET',
        `/api/oauth/state${invite ? `?aff=${encodeURIComponent(invite)}` : ''}`,
      );
      localStorage.setItem(LAST_USED, provider.name);
      location.assign(provider.authorise(status, String(data)));
    },
  });
  const last = localStorage.getItem(LAST_USED);
  return (
    <div className={classes.outside}>
      {PROVIDERS.filter((provider) => provider.enabled(status)).map((provider) => (
        <UnstyledButton
          key={provider.name}
          className={classes.outsideButton}
          data-last={provider.name === last || undefined}
          disabled={start.isPending}
          onClick={() => start.mutate(provider)}
        >
          <provider.icon size={17} stroke={1.6} aria-hidden />
          {t(`outside.${provider.name}`)}
          {provider.name === last ? <Tag>{t('login.lastUsed')}</Tag> : null}
        </UnstyledButton>
      ))}
    </div>
  );
}
