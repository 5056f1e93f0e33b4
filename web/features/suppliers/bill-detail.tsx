/** A bill beside the log, by day and model. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { csvLine } from '#contract/csv.ts';
import type { BillRow, BillView } from '#contract/suppliers/supplier-bills.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { downloadFile } from '#web/ui/grid/csv.ts';
import { dollars, signedDollars } from './money.ts';
import { supplierQueries, SUPPLIERS_KEY } from './queries.ts';
import classes from './suppliers.module.css';

type Bill = BillView & { lines: BillRow[] };

export function BillDetail({ id }: { id: number }) {
  const bill = useQuery(supplierQueries.bill(id));
  if (bill.error && !bill.data)
    return <ErrorState message={errorMessage(bill.error)} onRetry={() => void bill.refetch()} />;
  return bill.data ? <Lines bill={bill.data} /> : <Loading />;
}

function csvOf({ lines }: Bill): string {
  const figures = ['requests', 'input_tokens', 'output_tokens', 'cost'] as const;
  const head = [
    'day',
    'model',
    'match',
    ...figures.flatMap((name) => [`billed_${name}`, `recorded_${name}`]),
  ];
  const rows = lines.map(({ day, model, match, billed, recorded }) =>
    csvLine([day, model, match, ...figures.flatMap((name) => [billed[name], recorded[name]])]),
  );
  return csvLine(head) + rows.join('');
}

function Lines({ bill }: { bill: Bill }) {
  const { t } = useTranslation('suppliers');
  const { has } = bill;
  return (
    <div className={`stack12 ${classes.detail}`}>
      <Actions bill={bill} />
      <p className="muted">
        {t('bill.unmatchedText', { billed: bill.unmatched_billed, recorded: bill.unmatched_recorded })}
        {t('bill.listPrice')}
      </p>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('bill.lines')}>
        <table className={classes.lines}>
          <caption>{t('bill.lines')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('bill.day')}</th>
              <th scope="col">{t('bill.model')}</th>
              {has.requests ? (
                <th scope="col" data-number data-wide="calls">
                  {t('bill.requests')}
                </th>
              ) : null}
              {has.tokens ? (
                <th scope="col" data-number data-wide={has.cost || undefined}>
                  {t('bill.tokens')}
                </th>
              ) : null}
              {has.cost ? (
                <th scope="col" data-number>
                  {t('bill.cost')}
                </th>
              ) : null}
              {has.cost ? (
                <th scope="col" data-number>
                  {t('column.difference')}
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {bill.lines.slice(0, SHOWN_LINES).map((line) => (
              <Line key={`${line.day} ${line.model}`} line={line} has={has} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

/** The export has all of them. */
const SHOWN_LINES = 500;

const tokensOf = ({ input_tokens, output_tokens }: BillRow['billed']) => input_tokens + output_tokens;

function Line({ line: { day, model, match, billed, recorded }, has }: { line: BillRow; has: Bill['has'] }) {
  const { t } = useTranslation('suppliers');
  const pair = (left: number, right: number) => `${groupDigits(left)} / ${groupDigits(right)}`;
  return (
    <tr data-match={match}>
      <td>{day}</td>
      <td data-model>
        {model}
        {match === 'both' ? null : <span className="muted"> {t(`bill.match.${match}`)}</span>}
      </td>
      {has.requests ? (
        <td data-number data-wide="calls">
          {pair(billed.requests, recorded.requests)}
        </td>
      ) : null}
      {has.tokens ? (
        <td data-number data-wide={has.cost || undefined}>
          {pair(tokensOf(billed), tokensOf(recorded))}
        </td>
      ) : null}
      {has.cost ? (
        <td data-number>
          <span className="nowrap">{dollars(billed.cost)} /</span>{' '}
          <span className="nowrap">{dollars(recorded.cost)}</span>
        </td>
      ) : null}
      {has.cost ? (
        <td data-number>
          <span className="nowrap">{signedDollars(billed.cost - recorded.cost)}</span>
        </td>
      ) : null}
    </tr>
  );
}

function Actions({ bill }: { bill: Bill }) {
  const { t } = useTranslation('suppliers');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.suppliers.removeBill({ params: { id: bill.id } }),
    onSuccess: () => {
      toast.success(t('bill.removed'));
      return client.invalidateQueries({ queryKey: SUPPLIERS_KEY });
    },
  });
  const ask = async () => {
    const isMeant = await confirm({
      title: t('bill.remove'),
      body: t('bill.removeAsk', { name: bill.name }),
      confirmLabel: t('bill.remove'),
      danger: true,
    });
    if (isMeant) remove.mutate();
  };
  return (
    <div className="flow8">
      <Button
        size="xs"
        variant="default"
        onClick={() => downloadFile(`bill-${bill.id}.csv`, csvOf(bill), 'text/csv')}
      >
        {t('bill.export')}
      </Button>
      <Button size="xs" variant="default" loading={remove.isPending} onClick={() => void ask()}>
        {t('bill.remove')}
      </Button>
    </div>
  );
}
