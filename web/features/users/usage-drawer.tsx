/** The card of a user: figures, use in thirty days, and the entries of the balance. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconFileInvoice, IconListDetails, IconPencil } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { USAGE_DAYS, type UserUsage } from '#contract/admin/user-management.ts';
import type { ManagedUser } from '#contract/admin/users.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { GroupTag, Tag } from '#web/ui/badge/tag.tsx';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Count, Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { Section } from '#web/ui/input/field.tsx';
import { RoleCell, StateCell } from './cells.tsx';
import { kindOf } from './entry-kind.ts';
import { userQueries } from './queries.ts';
import { closedBy, type Me } from './user-state.ts';
import classes from './usage-drawer.module.css';

interface UsageDrawerProps {
  id: number;
  me: Me;
  onEdit: (id: number) => void;
  onClose: () => void;
}

export function UsageDrawer({ id, me, onEdit, onClose }: UsageDrawerProps) {
  const { t } = useTranslation('users');
  const { t: ui } = useTranslation('ui');
  const navigate = useNavigate();
  const user = useQuery(userQueries.one(id));
  const usage = useQuery(userQueries.usage(id));
  const error = user.error ?? usage.error;
  return (
    <Drawer
      title={user.data?.username ?? t('card.title')}
      subtitle={<Tag>#{id}</Tag>}
      onClose={onClose}
      footer={
        user.data ? (
          <DrawerFoot>
            {closedBy(user.data, me) ? null : (
              <Button leftSection={<IconPencil size={15} stroke={1.6} />} onClick={() => onEdit(id)}>
                {t('action.edit')}
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<IconListDetails size={15} stroke={1.6} />}
              onClick={() => void navigate({ to: '/log', search: { user: user.data.username } })}
            >
              {t('card.logs')}
            </Button>
            <Button
              variant="default"
              leftSection={<IconFileInvoice size={15} stroke={1.6} />}
              onClick={() => void navigate({ to: '/statement', search: { user: id } })}
            >
              {t('card.statement')}
            </Button>
          </DrawerFoot>
        ) : undefined
      }
    >
      {user.data && usage.data ? (
        <Card user={user.data} usage={usage.data} />
      ) : error ? (
        <ErrorState
          message={errorMessage(error)}
          onRetry={() => void Promise.all([user.refetch(), usage.refetch()])}
        />
      ) : (
        <PostLoader label={ui('grid.loading')} />
      )}
    </Drawer>
  );
}

function Card({ user, usage }: { user: ManagedUser; usage: UserUsage }) {
  const { t } = useTranslation('users');
  return (
    <>
      <div className={classes.head}>
        <StateCell user={user} />
        <RoleCell user={user} />
        <GroupTag group={user.group} />
        {user.display_name && user.display_name !== user.username ? <span>{user.display_name}</span> : null}
        {user.email ? <span className="anywhere">{user.email}</span> : null}
      </div>
      <InviteFlags invites={usage.invites} />
      <Figures user={user} usage={usage} />
      <Days usage={usage} />
      <Models usage={usage} />
      <Section title={t('card.entries')}>
        {usage.entries.length === 0 ? (
          <p className="top4 note">{t('card.noEntries')}</p>
        ) : (
          <Entries entries={usage.entries} />
        )}
      </Section>
    </>
  );
}

/** A hint, not a verdict: colleagues and families share addresses too. */
function InviteFlags({ invites }: Pick<UserUsage, 'invites'>) {
  const { t } = useTranslation('users');
  const { invited, same_address, inviter_same_address, same_payer, inviter_same_payer } = invites;
  return (
    <>
      {inviter_same_address ? <NoticeBox tone="warning">{t('card.inviterSameAddress')}</NoticeBox> : null}
      {same_address > 0 ? (
        <NoticeBox tone="warning">{t('card.invitedSameAddress', { count: same_address, invited })}</NoticeBox>
      ) : null}
      {inviter_same_payer ? <NoticeBox tone="warning">{t('card.inviterSamePayer')}</NoticeBox> : null}
      {same_payer > 0 ? (
        <NoticeBox tone="warning">{t('card.invitedSamePayer', { count: same_payer, invited })}</NoticeBox>
      ) : null}
    </>
  );
}

function Figures({ user, usage }: { user: ManagedUser; usage: UserUsage }) {
  const { t } = useTranslation('users');
  const sum = (pick: (day: UserUsage['days'][number]) => number) =>
    usage.days.reduce((total, day) => total + pick(day), 0);
  const calls = sum((day) => day.count);
  const failed = sum((day) => day.error_count);
  const percent = calls + failed === 0 ? 0 : Math.round((failed / (calls + failed)) * 100);
  return (
    <dl className={classes.figures}>
      <div>
        <dt>{t('column.balance')}</dt>
        <dd>
          <Quota quota={user.quota} />
        </dd>
      </div>
      <div>
        <dt>{t('card.spent')}</dt>
        <dd>
          <Quota quota={sum((day) => day.quota)} />
        </dd>
      </div>
      <div>
        <dt>{t('card.calls')}</dt>
        <dd>
          <Count value={calls} />
          {failed > 0 ? <span>{t('card.failed', { percent })}</span> : null}
        </dd>
      </div>
      <div>
        <dt>{t('card.tokens')}</dt>
        <dd>
          <span>{usage.tokens.enabled}</span>
          <span>/ {usage.tokens.total}</span>
        </dd>
      </div>
    </dl>
  );
}

function Days({ usage }: { usage: UserUsage }) {
  const { t } = useTranslation('users');
  const display = useDisplay();
  const label = t('card.perDay', { days: USAGE_DAYS });
  const top = Math.max(...usage.days.map((day) => day.quota));
  return (
    <Section title={label} fact={top > 0 ? renderQuota(top, display) : undefined}>
      <div className={classes.days} role="img" aria-label={label}>
        {usage.days.map((day) => (
          <span
            key={day.day}
            data-used={day.quota > 0 || undefined}
            style={{ height: `${top > 0 ? Math.round((day.quota / top) * 100) : 0}%` }}
            title={`${new Date(day.day * 1000).toISOString().slice(0, 10)} ${renderQuota(day.quota, display)}`}
          />
        ))}
      </div>
      {usage.last_call_at > 0 ? (
        <p className="top4 note">
          {t('card.lastCall')} <Moment timestamp={usage.last_call_at} />
        </p>
      ) : null}
    </Section>
  );
}

function Models({ usage }: { usage: UserUsage }) {
  const { t } = useTranslation('users');
  const top = Math.max(...usage.models.map((model) => model.quota), 1);
  return (
    <Section title={t('card.models')}>
      {usage.models.length === 0 ? <p className="top4 note">{t('card.noCalls')}</p> : null}
      <ul className={classes.models}>
        {usage.models.map((model) => (
          <li key={model.model_name}>
            <span title={model.model_name}>{model.model_name}</span>
            <span className={classes.share} aria-hidden>
              <span style={{ width: `${(model.quota / top) * 100}%` }} />
            </span>
            <Quota quota={model.quota} />
            <span className="muted">
              {t('card.callsCount', { count: model.count, calls: groupDigits(model.count) })}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Entries({ entries }: { entries: UserUsage['entries'] }) {
  const { t } = useTranslation('users');
  const display = useDisplay();
  return (
    <ul className={classes.entries}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <Moment timestamp={entry.created_at} />
          <span>
            {t(`card.kind.${kindOf(entry.kind)}`)}
            {entry.kind === 'admin' ? <i>{entry.content.replace(/^admin:\d+ ?/, '')}</i> : null}
          </span>
          <b data-sign={entry.amount < 0 ? 'minus' : 'plus'}>
            {entry.amount < 0 ? '−' : '+'}
            {renderQuota(Math.abs(entry.amount), display)}
          </b>
        </li>
      ))}
    </ul>
  );
}
