/** Single sign-on of an organization: its provider, the mail domains, the groups, and the tokens of SCIM. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { hasRight } from '#contract/admin/organization-rights.ts';
import type { SignOnView } from '#contract/admin/sign-on.ts';
import { errorMessage } from '#web/api/errors.ts';
import { organizationQuery } from '#web/api/queries.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { ErrorState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import classes from '#web/features/organizations/organizations.module.css';
import { Domains } from './domains.tsx';
import { Groups } from './groups.tsx';
import { ProviderForm } from './provider-form.tsx';
import { signOnQuery } from './queries.ts';
import { ScimTokens } from './scim-tokens.tsx';

export function OrganizationSignOnPage() {
  const { t } = useTranslation('organizations');
  const organization = useQuery(organizationQuery);
  const role = organization.data?.role;
  const mayRead = role !== undefined && hasRight(role, 'sign_on.read');
  const { data, error, refetch } = useQuery({ ...signOnQuery, enabled: mayRead });
  const failed = organization.error ?? error;
  return (
    <Page title={t('signOn.title')}>
      {role !== undefined && !mayRead ? <NotAllowed /> : null}
      {data && role ? <Settings view={data} manages={hasRight(role, 'sign_on.manage')} /> : null}
      {failed && !data ? <ErrorState message={errorMessage(failed)} onRetry={() => void refetch()} /> : null}
      {data || failed || (role && !mayRead) ? null : <Loading shape="form" />}
    </Page>
  );
}

function Settings({ view, manages }: { view: SignOnView; manages: boolean }) {
  const { t } = useTranslation('organizations');
  return (
    <div className={`scroll ${classes.settings}`}>
      {view.available ? null : <NoticeBox tone="info">{t('signOn.off')}</NoticeBox>}
      {manages ? null : <NoticeBox tone="info">{t('signOn.onlyOwner')}</NoticeBox>}
      <Part title={t('signOn.provider')} text={t('signOn.providerText')}>
        <ProviderForm view={view} manages={manages} />
      </Part>
      <Part title={t('signOn.domains')} text={t('signOn.domainsText')}>
        <Domains domains={view.domains} manages={manages} />
      </Part>
      <Part title={t('signOn.groups')} text={t('signOn.groupsText')}>
        <Groups groups={view.groups} manages={manages} />
      </Part>
      <Part title="SCIM" text={t('signOn.scimText')}>
        <ScimTokens view={view} manages={manages} />
      </Part>
    </div>
  );
}

function Part({ title, text, children }: { title: string; text: string; children: ReactNode }) {
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
