/** The settings of an organization: its name, its ownership, its deletion. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { OrganizationView } from '#contract/admin/organizations.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useStatus } from '#web/api/status.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import classes from '#web/features/organizations/organizations.module.css';
import { AnswerCacheSwitch } from './answer-cache.tsx';
import { NameForm } from './name-form.tsx';
import { Deletion } from './deletion.tsx';
import { Ownership } from './ownership.tsx';

export function OrganizationSettingsPage() {
  const { t } = useTranslation('organizations');
  const { data, error, refetch } = useQuery(organizationQuery);
  return (
    <Page title={t('setting.title')}>
      {data ? <Settings key={data.id} organization={data} /> : null}
      {error && !data ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data || error ? null : <Loading shape="form" />}
    </Page>
  );
}

function Settings({ organization }: { organization: OrganizationView }) {
  const { t } = useTranslation('organizations');
  const { id, role, group } = organization;
  const status = useStatus();
  if (!hasRight(role, 'organization.manage')) return <NotAllowed />;
  return (
    <div className={`scroll ${classes.settings}`}>
      <Setting title={t('setting.general')} text={t('setting.generalText')}>
        <p className={`row8 note ${classes.known}`}>
          {t('setting.id')} {id} · {t('setting.group')} <GroupTag group={group} />
        </p>
        <NameForm organization={organization} />
      </Setting>
      {status === undefined || status.answer_cache === 'off' ? null : (
        <Setting title={t('setting.cache')} text={t('setting.cacheText')}>
          <AnswerCacheSwitch organization={organization} />
        </Setting>
      )}
      <Setting title={t('setting.owner')} text={t('setting.ownerText')}>
        <Ownership organization={organization} />
      </Setting>
      <Setting title={t('setting.danger')} text={t('setting.dangerText')}>
        <Deletion organization={organization} />
      </Setting>
    </div>
  );
}

function Setting({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className={classes.setting} aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="note">{text}</p>
      </div>
      <div>{children}</div>
    </section>
  );
}
