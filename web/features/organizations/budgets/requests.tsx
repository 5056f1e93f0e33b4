/** Who asked for more of a budget: granted with one click, or declined. Without the right to decide: one's own. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { BudgetRequestView } from '#contract/admin/organization-budgets.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { BUDGETS_KEY, budgetQueries } from './queries.ts';
import classes from './budgets.module.css';

const MOST_SHOWN = 20;

export function Requests({ mayDecide }: { mayDecide: boolean }) {
  const { t } = useTranslation('organizations');
  const { data } = useQuery(budgetQueries.requests());
  // Those who decide see what waits; what they decided stands in the audit trail.
  const rows = (data ?? []).filter(({ status }) => !mayDecide || status === 'open').slice(0, MOST_SHOWN);
  if (rows.length === 0) return null;
  return (
    <div className={mayDecide ? classes.requests : undefined}>
      <ThingPanel
        title={t('budgets.request.title')}
        hint={mayDecide ? t('budgets.request.text') : undefined}
        isFlush
      >
        <ThingTable
          label={t('budgets.request.title')}
          columns={requestColumns(t, mayDecide)}
          rows={rows}
          rowKey={({ id }) => id}
        />
      </ThingPanel>
    </div>
  );
}

const STATES = { open: IconClock, granted: IconCheck, declined: IconX } as const;

function State({ status, granted }: BudgetRequestView) {
  const { t } = useTranslation('organizations');
  const display = useDisplay();
  const Icon = STATES[status];
  return (
    <span className={`inline4 ${status === 'granted' ? 'success' : 'soft'}`}>
      <Icon size={14} stroke={1.8} aria-hidden />
      {t(`budgets.request.status.${status}`, { amount: renderQuota(granted, display) })}
    </span>
  );
}

function Decide({ request: { id, amount, asked_by_name: name } }: { request: BudgetRequestView }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const display = useDisplay();
  const decide = useMutation({
    mutationFn: (isGranted: boolean) =>
      isGranted
        ? api.budgets.grant({ params: { id }, body: {} })
        : api.budgets.decline({ params: { id }, body: {} }),
    onSuccess: ({ status }) =>
      toast.success(
        t(status === 'granted' ? 'budgets.request.granted' : 'budgets.request.declined', { name }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: BUDGETS_KEY }),
  });
  return (
    <span className="row6 nowrap">
      <Button
        size="compact-xs"
        variant="light"
        loading={decide.isPending}
        onClick={() => decide.mutate(true)}
      >
        {t('budgets.request.grant', { amount: renderQuota(amount, display) })}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={decide.isPending}
        aria-label={t('budgets.request.declineOf', { name })}
        onClick={() => decide.mutate(false)}
      >
        {t('budgets.request.decline')}
      </Button>
    </span>
  );
}

function requestColumns(
  t: ReturnType<typeof useTranslation<'organizations'>>['t'],
  mayDecide: boolean,
): ThingColumn<BudgetRequestView>[] {
  const columns: ThingColumn<BudgetRequestView>[] = [
    {
      key: 'who',
      head: t(mayDecide ? 'budgets.request.who' : 'budgets.column.name'),
      cell: ({ asked_by_name, budget_name }) => (
        <b className="nowrap">{mayDecide ? asked_by_name : budget_name}</b>
      ),
    },
    {
      key: 'budget',
      head: t(mayDecide ? 'budgets.column.name' : 'budgets.request.state'),
      cell: (request) =>
        mayDecide ? (
          [request.budget_name, request.value].filter(Boolean).join(' · ')
        ) : (
          <span className="nowrap">
            <State {...request} />
          </span>
        ),
    },
    {
      key: 'amount',
      head: t('budgets.column.quota'),
      isNumber: true,
      cell: ({ amount }) => <Quota quota={amount} />,
    },
    {
      key: 'reason',
      head: t('budgets.ask.reason'),
      isWide: true,
      cell: ({ reason, answer }) => (answer === '' ? reason : `${reason} — ${answer}`),
    },
    {
      key: 'when',
      head: t('budgets.request.when'),
      cell: ({ created_at }) => (
        <span className="nowrap">
          <Moment timestamp={created_at} />
        </span>
      ),
    },
  ];
  if (mayDecide)
    columns.push({
      key: 'decide',
      head: t('budgets.request.decide'),
      isWide: true,
      cell: (request) => <Decide request={request} />,
    });
  return columns;
}
