/** The cells of a user, shared by rows and cards. */
import { Tooltip } from '@mantine/core';
import { IconCrown, IconMail, IconShieldCheck, IconUserShield } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { ProviderIcon } from '#web/ui/login/provider-icon.tsx';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { roleName, STATE_MARK, userState } from './user-state.ts';
import classes from './users.module.css';

export function NameCell({ user, own }: { user: ManagedUser; own: boolean }) {
  const { t } = useTranslation('users');
  const name = user.display_name && user.display_name !== user.username ? user.display_name : '';
  return (
    <span className={classes.name}>
      <span title={user.username}>{user.username}</span>
      {name ? (
        <span className={`muted ellipsis ${classes.second}`} title={name}>
          {name}
        </span>
      ) : null}
      {own ? <span className={classes.own}>{t('you')}</span> : null}
    </span>
  );
}

/** Ordinary users have no mark; administrators and agents do. */
export function RoleCell({ user }: { user: ManagedUser }) {
  const { t } = useTranslation('users');
  const role = roleName(user.role);
  if (role === 'user' && user.agent_rate_percent !== null) return <AgentTag user={user} />;
  if (role === 'user') return <span className="muted">{t('role.user')}</span>;
  const Mark = role === 'root' ? IconCrown : IconUserShield;
  return (
    <span className={classes.role} data-role={role}>
      <Mark size={14} stroke={1.6} aria-hidden />
      {t(`role.${role}`)}
    </span>
  );
}

/** Only agents have it. */
function AgentTag({ user }: { user: ManagedUser }) {
  const { t } = useTranslation('users');
  if (user.agent_rate_percent === null) return null;
  return <Tag post="info">{t('agent.tag', { percent: user.agent_rate_percent })}</Tag>;
}

export function StateCell({ user }: { user: ManagedUser }) {
  const { t } = useTranslation('users');
  const facts = useFacts();
  const state = userState(user);
  const badge = <StatusBadge kind={STATE_MARK[state]}>{t(`status.${state}`)}</StatusBadge>;
  if (state !== 'suspended' || user.suspended_reason === '') return badge;
  return (
    <Tooltip label={facts.words(user.suspended_reason)} multiline maw={320}>
      <span>{badge}</span>
    </Tooltip>
  );
}

/** The used share of all quota the user ever had. */
export function BalanceCell({ user, hidden }: { user: ManagedUser; hidden: boolean }) {
  const { t } = useTranslation('users');
  const display = useDisplay();
  if (hidden) return <Hidden />;
  const left = renderQuota(user.quota, display);
  const used = renderQuota(user.used_quota, display);
  const words = [t('balance.left', { left, used })];
  if (user.held_quota > 0) words.push(t('balance.held', { held: renderQuota(user.held_quota, display) }));
  const total = user.quota + user.used_quota;
  return (
    <Tooltip label={words.join(' · ')}>
      <span className={`row8 ${classes.balance}`}>
        {total > 0 ? (
          <QuotaBar
            used={user.used_quota}
            total={total}
            off={userState(user) !== 'activated'}
            label={words[0] ?? ''}
          />
        ) : null}
        <span className={user.quota === 0 ? 'muted' : undefined}>{left}</span>
      </span>
    </Tooltip>
  );
}

export function Hidden() {
  const { t } = useTranslation('users');
  return (
    <Tooltip label={t('balance.hidden')}>
      <span>
        <Empty />
      </span>
    </Tooltip>
  );
}

const BINDINGS = [
  { field: 'email', to: 'email', name: undefined },
  { field: 'github_id', to: 'github', name: 'github_name' },
  { field: 'wechat_id', to: 'wechat', name: 'wechat_name' },
  { field: 'telegram_id', to: 'telegram', name: 'telegram_name' },
  { field: 'linux_do_id', to: 'linuxdo', name: 'linux_do_name' },
  { field: 'oidc_id', to: 'oidc', name: 'oidc_name' },
] as const;
type Binding = (typeof BINDINGS)[number];

export function boundTo(user: ManagedUser): Binding[] {
  return BINDINGS.filter(({ field }) => user[field] !== '');
}

/** The same marks as on the sign-in page. */
export function BindingMark({ to }: { to: OutsideProvider | 'email' }) {
  return to === 'email' ? (
    <IconMail size={14} stroke={1.6} aria-hidden />
  ) : (
    <ProviderIcon provider={to} size={14} />
  );
}

/** An account of another site: the name its owner knows, and the id, which alone identifies it. Old bindings have no name. */
export function useBindingText(): (user: ManagedUser, binding: Binding) => string {
  const { t } = useTranslation('users');
  return (user, { field, name }) => {
    if (name === undefined) return user[field];
    const id = t('binding.id', { id: user[field] });
    return user[name] === '' ? id : `${user[name]} · ${id}`;
  };
}

/** External accounts and the second factor. */
export const isGuarded = (user: ManagedUser): boolean => boundTo(user).length > 0 || user.two_factor;

export function BindingsCell({ user, hidden }: { user: ManagedUser; hidden: boolean }) {
  const { t } = useTranslation('users');
  const textOf = useBindingText();
  if (hidden) return <Hidden />;
  const bound = boundTo(user);
  if (!isGuarded(user)) return <Empty />;
  return (
    <span className={`row4 soft ${classes.bindings}`}>
      {bound.map((binding) => (
        <Tooltip key={binding.field} label={`${t(`binding.${binding.field}`)} ${textOf(user, binding)}`}>
          <span role="img" aria-label={t(`binding.${binding.field}`)}>
            <BindingMark to={binding.to} />
          </span>
        </Tooltip>
      ))}
      {user.two_factor ? (
        <Tooltip label={t('binding.two_factor')}>
          <span role="img" aria-label={t('binding.two_factor')} className={classes.protected}>
            <IconShieldCheck size={14} stroke={1.6} />
          </span>
        </Tooltip>
      ) : null}
    </span>
  );
}

export function InvitesCell({ user, hidden }: { user: ManagedUser; hidden: boolean }) {
  const { t } = useTranslation('users');
  if (hidden) return <Hidden />;
  const by = user.inviter_id > 0 ? t('invite.by', { name: user.inviter_name || `#${user.inviter_id}` }) : '';
  if (user.aff_count === 0 && by === '') return <Empty />;
  return (
    <Tooltip label={`${t('invite.count', { count: user.aff_count })} · ${by || t('invite.none')}`}>
      <span className={classes.invites}>
        <span>{user.aff_count}</span>
        {by ? <span className="muted">← {user.inviter_name || `#${user.inviter_id}`}</span> : null}
      </span>
    </Tooltip>
  );
}
