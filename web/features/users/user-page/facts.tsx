/** The facts of a user: who, in which group, how they sign in, who invited them, what they subscribe to. */
import { UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { UserPageView } from '#contract/admin/user-page.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { FactList } from '#web/ui/thing/facts.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { BindingsCell, isGuarded, RoleCell } from '#web/features/users/cells.tsx';

export function UserFacts({ data, onEdit }: { data: UserPageView; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('users');
  const { t: thing } = useTranslation('thing');
  const display = useDisplay();
  const { user, money, plans, last_call_at } = data;
  return (
    <ThingPanel
      title={thing('facts')}
      more={
        onEdit ? (
          <UnstyledButton className={layout.link} onClick={onEdit}>
            {t('action.edit')}
          </UnstyledButton>
        ) : null
      }
      isFlush
    >
      <FactList
        facts={[
          {
            label: t('column.balance'),
            value: renderQuota(user.quota, display, 2),
            derived: money.days_left === null ? undefined : t('page.lasts', { count: money.days_left }),
            tone: money.days_left !== null && money.days_left < 3 ? 'warning' : undefined,
          },
          { label: t('column.role'), value: <RoleCell user={user} /> },
          { label: t('column.group'), value: <GroupTag group={user.group} /> },
          user.display_name !== '' &&
            user.display_name !== user.username && { label: t('page.displayName'), value: user.display_name },
          user.email !== '' && {
            label: t('column.email'),
            value: <span className="anywhere">{user.email}</span>,
          },
          isGuarded(user) && {
            label: t('column.bindings'),
            value: <BindingsCell user={user} hidden={false} />,
          },
          { label: t('column.requests'), value: groupDigits(user.request_count) },
          user.inviter_id > 0 && {
            label: t('page.inviter'),
            value: (
              <Link to="/user/$id" params={{ id: String(user.inviter_id) }}>
                {user.inviter_name || `#${user.inviter_id}`}
              </Link>
            ),
          },
          user.aff_count > 0 && { label: t('page.invited'), value: groupDigits(user.aff_count) },
          ...plans.map(({ id, plan_id, plan_name, left, ends_at }) => ({
            label: plans.length === 1 ? t('page.plan') : `${t('page.plan')} #${id}`,
            value: (
              <Link to="/plan/$id" params={{ id: String(plan_id) }}>
                {plan_name}
              </Link>
            ),
            derived: (
              <>
                {t('page.planLeft', { left: renderQuota(left, display, 2) })} · <Moment timestamp={ends_at} />
              </>
            ),
          })),
          { label: t('column.created'), value: <Moment timestamp={user.created_at} absolute /> },
          user.last_login_at > 0 && {
            label: t('column.lastSeen'),
            value: <Moment timestamp={user.last_login_at} />,
          },
          last_call_at > 0 && { label: t('page.lastCall'), value: <Moment timestamp={last_call_at} /> },
        ]}
      />
    </ThingPanel>
  );
}
