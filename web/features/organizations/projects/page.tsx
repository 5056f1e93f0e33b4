/** The projects and the service accounts of an organization. */
import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { holderQueries } from '#web/api/holders.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { PROJECT_VIEWS, useProjectSearch } from '#web/features/organizations/search.ts';
import { AccountDialog } from './account-dialog.tsx';
import { AccountList } from './account-list.tsx';
import { ProjectDrawer } from './project-drawer.tsx';
import { ProjectList } from './project-list.tsx';

export function ProjectsPage() {
  const { t } = useTranslation('organizations');
  const [search, change] = useProjectSearch();
  const [isNewAccount, setIsNewAccount] = useState(false);
  const scope = useScope();
  const view = search.view ?? 'projects';
  const isProjects = view === 'projects';
  const manages = mayChange(scope, isProjects ? 'projects.manage' : 'service_accounts.manage');
  const { data: projects } = useQuery(holderQueries.projects());
  const edited = projects?.find(({ id }) => id === search.edit);
  const add = () => (isProjects ? change({ new: true, edit: undefined }) : setIsNewAccount(true));
  const close = () => change({ new: undefined, edit: undefined }, { replace: true });
  const label = t(isProjects ? 'projects.action.add' : 'projects.action.addAccount');
  return (
    <Page
      title={t('projects.title')}
      tabs={
        <SegmentedControl
          size="xs"
          aria-label={t('projects.tabs')}
          value={view}
          data={PROJECT_VIEWS.map((value) => ({ value, label: t(`projects.tab.${value}`) }))}
          onChange={(value) => change({ view: value, page: undefined, new: undefined, edit: undefined })}
        />
      }
      actions={manages ? <AddButton label={label} onClick={add} /> : undefined}
      phoneAction={manages ? <AddIcon label={label} onClick={add} /> : undefined}
      drawer={
        isProjects && manages && (search.new || edited) ? (
          <ProjectDrawer
            key={edited?.id ?? 'new'}
            project={search.new ? undefined : edited}
            onClose={close}
          />
        ) : undefined
      }
    >
      {isProjects ? (
        <ProjectList search={search} change={change} manages={manages} />
      ) : (
        <AccountList search={search} change={change} manages={manages} onAdd={add} />
      )}
      {isNewAccount ? <AccountDialog onClose={() => setIsNewAccount(false)} /> : null}
    </Page>
  );
}
