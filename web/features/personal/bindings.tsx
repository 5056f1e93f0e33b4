/** External accounts bound to this one. What the operator does not offer is one line, not a row each. */
import { ActionIcon, Button, Modal, Tooltip } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconMail, IconUnlink } from '@tabler/icons-react';
import { useState, type ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import {
  REDIRECT_PROVIDERS,
  type OutsideProvider,
  type RedirectProvider,
} from '#contract/admin/outside-logins.ts';
import { isRoot } from '#contract/access.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ProviderIcon } from '#web/ui/login/provider-icon.tsx';
import { isProviderEnabled, useProviderName } from '#web/ui/login/providers.ts';
import { TelegramWidget } from '#web/ui/login/telegram-widget.tsx';
import { useWeChatForm } from '#web/ui/login/use-wechat-form.ts';
import { WeChatCode } from '#web/ui/login/wechat-code.tsx';
import { Row } from './block.tsx';
import { EmailDialog, type HumanCheckProps } from './email-dialog.tsx';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './personal.module.css';

interface BindingsProps {
  self: SelfView;
  status: StatusView;
  HumanCheck: ComponentType<HumanCheckProps>;
}

/** In the order of the requirements. */
const ROWS = [
  { provider: 'wechat', id: 'wechat_id', name: 'wechat_name' },
  { provider: 'github', id: 'github_id', name: 'github_name' },
  { provider: 'telegram', id: 'telegram_id', name: 'telegram_name' },
  { provider: 'linuxdo', id: 'linux_do_id', name: 'linux_do_name' },
  { provider: 'oidc', id: 'oidc_id', name: 'oidc_name' },
] as const satisfies readonly {
  provider: OutsideProvider;
  id: keyof SelfView;
  name: keyof SelfView;
}[];

const isRedirect = (provider: OutsideProvider): provider is RedirectProvider =>
  REDIRECT_PROVIDERS.some((name) => name === provider);

export function Bindings({ self, status, HumanCheck }: BindingsProps) {
  const { t } = useTranslation('personal');
  const providerName = useProviderName();
  const nameOf = (provider: OutsideProvider) => providerName(provider, status);
  const [open, setOpen] = useState<'email' | 'wechat' | 'telegram'>();
  const leave = useMutation({
    mutationFn: async (provider: RedirectProvider) => {
      const { authorize_url } = await api.outsideLogins.state({ query: { provider } });
      location.assign(authorize_url);
    },
  });
  const bind = (provider: OutsideProvider) => {
    if (isRedirect(provider)) leave.mutate(provider);
    else setOpen(provider);
  };
  const client = useQueryClient();
  const unbind = useMutation({
    mutationFn: (provider: OutsideProvider) => api.outsideLogins.unbind({ params: { provider } }),
    onSuccess: (_, provider) => {
      toast.success(t('bindings.unbound', { name: nameOf(provider) }));
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
  });
  const askUnbind = async (provider: OutsideProvider) => {
    const sure = await confirm({
      title: t('bindings.unbindTitle', { name: nameOf(provider) }),
      body: t('bindings.unbindText'),
      confirmLabel: t('bindings.unbind'),
      danger: true,
    });
    if (sure) unbind.mutate(provider);
  };
  const isShown = ({ provider, id }: (typeof ROWS)[number]) =>
    self[id] !== '' || isProviderEnabled(provider, status);
  const missing = ROWS.filter((row) => !isShown(row)).map(({ provider }) => nameOf(provider));
  return (
    <div className="stack">
      <Row
        icon={<IconMail size={17} stroke={1.6} aria-hidden />}
        name={t('bindings.email')}
        value={self.email || t('bindings.none')}
        on={self.email !== ''}
      >
        <Button
          variant="default"
          aria-label={`${self.email ? t('bindings.change') : t('bindings.bind')} ${t('bindings.email')}`}
          onClick={() => setOpen('email')}
        >
          {self.email ? t('bindings.change') : t('bindings.bind')}
        </Button>
      </Row>
      {ROWS.filter(isShown).map(({ provider, ...columns }) => {
        const id = self[columns.id];
        // A binding that has not signed in since names are stored has only its id.
        const account = self[columns.name] || t('bindings.id', { id });
        const label = id ? t('bindings.bound') : t('bindings.bind');
        return (
          <Row
            key={provider}
            icon={<ProviderIcon provider={provider} />}
            name={nameOf(provider)}
            value={id ? account : t('bindings.none')}
            on={id !== ''}
          >
            {id ? (
              <Tooltip label={t('bindings.unbind')}>
                <ActionIcon
                  aria-label={`${t('bindings.unbind')} ${nameOf(provider)}`}
                  loading={unbind.isPending && unbind.variables === provider}
                  onClick={() => void askUnbind(provider)}
                >
                  <IconUnlink size={15} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            ) : null}
            <Button
              variant="default"
              disabled={id !== ''}
              loading={leave.isPending && leave.variables === provider}
              aria-label={`${label} ${nameOf(provider)}`}
              onClick={() => bind(provider)}
            >
              {label}
            </Button>
          </Row>
        );
      })}
      {missing.length > 0 ? (
        <p className="top4 note">
          {t('bindings.off', { names: missing.join(t('bindings.and')) })}{' '}
          {isRoot(self.role) ? (
            <Link to="/setting" search={{ tab: 'system', section: 'login' }}>
              {t('bindings.setUp')}
            </Link>
          ) : null}
        </p>
      ) : null}
      {open === 'email' ? (
        <EmailDialog self={self} status={status} HumanCheck={HumanCheck} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === 'wechat' ? <WeChatDialog status={status} onClose={() => setOpen(undefined)} /> : null}
      {open === 'telegram' ? <TelegramDialog status={status} onClose={() => setOpen(undefined)} /> : null}
    </div>
  );
}

function WeChatDialog({ status, onClose }: { status: StatusView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  useReturnFocus();
  const client = useQueryClient();
  const form = useWeChatForm(
    (code) => api.outsideLogins.wechatBind({ query: { code } }),
    () => {
      toast.success(t('wechat.done'));
      void client.invalidateQueries({ queryKey: selfQuery.queryKey });
      onClose();
    },
  );
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('wechat.title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      <WeChatCode picture={status.wechat_qrcode} submitLabel={t('wechat.submit')} form={form} />
    </Modal>
  );
}

/** The redirect carries a state of this session: without it a foreign link could bind another Telegram account (CSRF). */
function TelegramDialog({ status, onClose }: { status: StatusView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  useReturnFocus();
  const state = useQuery({
    queryKey: ['telegram-bind-state'],
    queryFn: ({ signal }) => api.outsideLogins.state({ query: { provider: 'telegram' }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const address = state.data
    ? `${location.origin}/api/oauth/telegram/bind?state=${encodeURIComponent(state.data.data)}`
    : undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('telegram.title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      <p className={`top2 note ${classes.text}`}>{t('telegram.text')}</p>
      {state.error ? <NoticeBox tone="danger">{errorMessage(state.error)}</NoticeBox> : null}
      {address ? <TelegramWidget botName={status.telegram_bot_name} address={address} /> : null}
      {state.isPending ? <PostLoader label={ui('grid.loading')} /> : null}
    </Modal>
  );
}
