/** The budgets of an organization: a sheet for those who manage them, a list for the others; and who asked for more. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BudgetView } from '#contract/admin/organization-budgets.ts';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import { errorMessage } from '#web/api/errors.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import { BudgetList } from './list.tsx';
import { budgetQueries } from './queries.ts';
import { Requests } from './requests.tsx';
import { BudgetSheet } from './budget-sheet.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import { useSheet } from './use-sheet.ts';
import classes from './budgets.module.css';

export function BudgetsPage() {
  const { t } = useTranslation('organizations');
  const scope = useScope();
  const { data, error, refetch } = useQuery(budgetQueries.list());
  const may = (right: OrganizationRight) => mayChange(scope, right);
  const seesAll = scope?.role !== undefined && hasRight(scope.role, 'budgets.read');
  if (data !== undefined && may('budgets.manage'))
    return <Managed views={data} mayTag={may('organization.manage')} />;
  return (
    <Page title={t('budgets.title')} summary={data && [{ value: data.length, label: t('budgets.total') }]}>
      {error && data === undefined ? (
        <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && !error ? <Loading /> : null}
      {data ? (
        <div className="scroll">
          <BudgetList budgets={data} mayAsk={may('budgets.ask')} isOwn={!seesAll} />
          <Requests mayDecide={false} />
        </div>
      ) : null}
    </Page>
  );
}

function Managed({ views, mayTag }: { views: readonly BudgetView[]; mayTag: boolean }) {
  const { t } = useTranslation('organizations');
  const sheet = useSheet(views);
  const phone = usePhone();
  const [isTagging, setIsTagging] = useState(false);
  const tags = mayTag ? (
    <Button
      variant="default"
      leftSection={<IconTag size={15} stroke={1.6} />}
      onClick={() => setIsTagging(true)}
    >
      {t('budgets.tags.open')}
    </Button>
  ) : null;
  return (
    <Page
      title={t('budgets.title')}
      summary={[{ value: views.length, label: t('budgets.total') }]}
      actions={
        <>
          {tags}
          <AddButton label={t('budgets.add')} onClick={sheet.add} />
        </>
      }
      phoneAction={<AddIcon label={t('budgets.add')} onClick={sheet.add} />}
    >
      {phone && tags ? <div className={classes.tools}>{tags}</div> : null}
      <Requests mayDecide />
      <BudgetSheet views={views} sheet={sheet} />
      {isTagging ? <TagsDialog onClose={() => setIsTagging(false)} /> : null}
    </Page>
  );
}
