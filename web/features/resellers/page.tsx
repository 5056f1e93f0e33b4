/** Resellers: an agent's own part, and for administrators the queue of withdrawals, the agents and all dividends. */
import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isAdmin } from '#contract/access.ts';
import { errorMessage } from '#web/api/errors.ts';
import { selfQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { gridQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page, type SummaryNumber } from '#web/ui/page/page.tsx';
import { AddResellerDialog } from './add-dialog.tsx';
import { Agents } from './resellers.tsx';
import { Customers } from './customers.tsx';
import { Own } from './own.tsx';
import { Payouts, Queue } from './payouts.tsx';
import { resellerQueries } from './queries.ts';
import { AllRecords, ExportRecords, OwnRecords } from './records.tsx';
import { ADMIN_TABS, OWN_TABS, useResellerSearch, type AgentTab, type ListProps } from './search.ts';
import classes from './resellers.module.css';

export function ResellersPage() {
  const { t } = useTranslation('resellers');
  const user = useUser();
  const { data: self, error, refetch } = useQuery(selfQuery);
  const [search, change] = useResellerSearch();
  const isOperator = user !== undefined && isAdmin(user.role);
  const tabs: AgentTab[] = [...(self?.is_agent ? OWN_TABS : []), ...(isOperator ? ADMIN_TABS : [])];
  const { tab, isKnown } = useTab(tabs, isOperator && self?.is_agent !== true, search.tab);
  const summary = useTotals(isOperator && tab === 'agents', { search, change });
  if (!self || !isKnown)
    return (
      <Page title={t('title')}>
        {error ? (
          <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
        ) : (
          <Loading page />
        )}
      </Page>
    );
  if (tab === undefined)
    return (
      <Page title={t('title')}>
        <NotAllowed text={t('notAgent')} />
      </Page>
    );
  const Part = PARTS[tab];
  const add = (isPhone = false) => <Add isPhone={isPhone} search={search} change={change} />;
  return (
    <Page
      title={t('title')}
      tabs={
        <Tabs
          className={classes.tabs}
          classNames={{ list: classes.tabList, tab: classes.tab }}
          value={tab}
          onChange={(value) =>
            change({ ...NO_FILTER, tab: tabs.find((name) => name === value) }, { replace: true })
          }
        >
          <Tabs.List aria-label={t('tabs')}>
            {tabs.map((name) => (
              <Tabs.Tab key={name} value={name} id={`tab-${name}`} aria-controls="agents-panel">
                {t(`tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      }
      summary={summary}
      actions={
        tab === 'records' ? <ExportRecords kind={search.kind} /> : tab === 'agents' ? add() : undefined
      }
      phoneAction={tab === 'agents' ? add(true) : undefined}
    >
      <div id="agents-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="fill">
        <Part search={search} change={change} />
      </div>
    </Page>
  );
}

/** Requests that wait come first for an operator; without any, an empty queue would be the first thing to see. */
function useTab(
  tabs: readonly AgentTab[],
  isWatching: boolean,
  wanted: AgentTab | undefined,
): { tab: AgentTab | undefined; isKnown: boolean } {
  const isOpen = isWatching && wanted === undefined;
  const { data, isLoading } = useQuery({ ...resellerQueries.waiting(), enabled: isOpen });
  const first = isOpen && (data?.total ?? 0) > 0 ? 'queue' : tabs[0];
  return { tab: tabs.find((name) => name === wanted) ?? first, isKnown: !isOpen || !isLoading };
}

function Add({ isPhone, search, change }: ListProps & { isPhone: boolean }) {
  const { t } = useTranslation('resellers');
  const Button = isPhone ? AddIcon : AddButton;
  return (
    <>
      <Button label={t('add.action')} onClick={() => change({ new: 1 })} />
      {search.new === 1 ? (
        <AddResellerDialog onClose={() => change({ new: undefined }, { replace: true })} />
      ) : null}
    </>
  );
}

const NO_FILTER = {
  q: undefined,
  kind: undefined,
  status: undefined,
  agent: undefined,
  ended: undefined,
  page: undefined,
};

const PARTS: Record<AgentTab, (props: ListProps) => ReactNode> = {
  own: Own,
  records: OwnRecords,
  customers: Customers,
  payouts: Payouts,
  queue: Queue,
  agents: Agents,
  all: AllRecords,
};

/** Over all agents; the same query as the list below it. */
function useTotals(isShown: boolean, { search }: ListProps): SummaryNumber[] | undefined {
  const { t } = useTranslation('resellers');
  const display = useDisplay();
  const { data } = useQuery({ ...resellerQueries.agents(search, gridQuery(search)), enabled: isShown });
  if (!isShown || !data) return undefined;
  const names = ['dividends', 'transferred', 'withdrawing', 'withdrawn', 'balance'] as const;
  const { totals } = data;
  return [
    ...names.map((name) => ({ value: renderQuota(totals[name], display), label: t(`summary.${name}`) })),
    ...(totals.owed > 0
      ? [{ value: renderQuota(totals.owed, display), label: t('summary.owed'), tone: 'warning' as const }]
      : []),
  ];
}
