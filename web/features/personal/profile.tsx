/** The account: name, role, group, and the three figures. */
import { ActionIcon, TextInput, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin, isRoot } from '#contract/access.ts';
import type { SelfView } from '#contract/admin/users.ts';
import { api } from '#web/api.ts';
import { selfQuery } from '#web/api/queries.ts';
import { GroupTag, GroupTags, Tag } from '#web/ui/badge/tag.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { fullQuota, groupDigits, renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { useForm } from '#web/ui/input/use-form.ts';
import { PersonalDialog } from './dialog.tsx';
import { personalQueries } from './queries.ts';
import classes from './profile.module.css';

const DISPLAY_NAME_MAX = 20;

function exactRole(role: number): 'user' | 'admin' | 'root' {
  if (isRoot(role)) return 'root';
  return isAdmin(role) ? 'admin' : 'user';
}

export function Profile({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const [renaming, setRenaming] = useState(false);
  const name = self.display_name || self.username;
  // The requirements have two labels; the tooltip names which of the three roles it is.
  const label = isRoot(self.role) ? t('profile.admin') : t('profile.ordinary');
  return (
    <section className={classes.profile} aria-label={t('profile.title')}>
      <div className={`row12 ${classes.who}`}>
        <span className={classes.monogram} aria-hidden>
          {Array.from(name)[0]?.toUpperCase()}
        </span>
        <div>
          <p className={classes.whoName}>
            <b>{name}</b>
            <Tooltip label={t('profile.rename')}>
              <ActionIcon size={24} aria-label={t('profile.rename')} onClick={() => setRenaming(true)}>
                <IconPencil size={14} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </p>
          <p className={`row note ${classes.whoFacts}`}>
            <span>{self.username}</span>
            <Tag>#{self.id}</Tag>
            <Tooltip label={t('profile.exactRole', { role: t(`profile.role.${exactRole(self.role)}`) })}>
              <span data-role-label>{label}</span>
            </Tooltip>
            <span>
              {t('profile.since')} <Moment timestamp={self.created_at} />
            </span>
          </p>
        </div>
      </div>
      <Figures self={self} />
      {renaming ? <RenameDialog self={self} onClose={() => setRenaming(false)} /> : null}
    </section>
  );
}

interface FigureProps {
  label: string;
  value: ReactNode;
  exact?: string;
  children?: ReactNode;
}

function Figure({ label, value, exact, children }: FigureProps) {
  const shown = <dd>{value}</dd>;
  return (
    <div>
      <dt>{label}</dt>
      {exact ? <Tooltip label={exact}>{shown}</Tooltip> : shown}
      <dd className={classes.figureNote}>{children}</dd>
    </div>
  );
}

function Figures({ self }: { self: SelfView }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const display = useDisplay();
  const groups = useQuery(personalQueries.groups());
  const exact = (quota: number) => ui('amount.full', fullQuota(quota, display));
  const others = Object.keys(groups.data ?? {}).filter((group) => group !== self.group);
  return (
    <dl className={classes.figures}>
      <Figure
        label={t('profile.balance')}
        value={<StatAmount quota={self.quota} />}
        exact={exact(self.quota)}
      >
        <Link to="/topup" className={layout.link}>
          {t('profile.topUp')}
        </Link>
        {self.held_quota > 0 ? t('profile.held', { held: renderQuota(self.held_quota, display) }) : null}
      </Figure>
      <Figure
        label={t('profile.used')}
        value={<StatAmount quota={self.used_quota} />}
        exact={exact(self.used_quota)}
      />
      <Figure label={t('profile.requests')} value={groupDigits(self.request_count)} />
      <Figure label={t('profile.group')} value={<GroupTag group={self.group} />}>
        {others.length > 0 ? (
          <>
            {t('profile.groups')} <GroupTags groups={others} />
          </>
        ) : null}
      </Figure>
    </dl>
  );
}

function RenameDialog({ self, onClose }: { self: SelfView; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const form = useForm({
    begin: () => ({ display_name: self.display_name }),
    live: ['display_name'],
    problemsOf: ({ display_name: name }) =>
      Array.from(name.trim()).length > DISPLAY_NAME_MAX ? { display_name: t('profile.displayNameHint') } : {},
    send: ({ display_name }) => api.users.changeSelf({ body: { display_name: display_name.trim() } }),
    onSent: () => {
      toast.success(t('profile.renamed'));
      onClose();
    },
    refresh: [selfQuery.queryKey],
  });
  return (
    <PersonalDialog title={t('profile.rename')} submitLabel={ui('action.save')} form={form} onClose={onClose}>
      <TextInput
        {...form.field('display_name')}
        data-autofocus
        label={t('profile.displayName')}
        description={t('profile.displayNameHint')}
      />
    </PersonalDialog>
  );
}
