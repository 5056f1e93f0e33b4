/** Money between the organization and personal balances, or another organization: ask, accept, and what was moved. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowDownLeft, IconArrowUpRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MoveView } from '#contract/admin/organization-moves.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { mayChange, useScope } from '#web/api/scope.ts';
import { useUser } from '#web/api/session.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import classes from '#web/features/organizations/organizations.module.css';
import { InDialog, OutDialog } from './dialogs.tsx';
import { BALANCES_CHANGED, movesQuery } from './queries.ts';

const MOST_SHOWN = 10;

export function Moves() {
  const { t } = useTranslation('organizations');
  const mayMove = mayChange(useScope(), 'billing.manage');
  const { data, error, refetch } = useQuery(movesQuery);
  const [dialog, setDialog] = useState<'in' | 'out'>();
  const close = () => setDialog(undefined);
  return (
    <div className="stack8">
      <p className="note">{t('moves.text')}</p>
      {mayMove ? (
        <div className="flow8">
          <Button
            variant="default"
            leftSection={<IconArrowDownLeft size={15} stroke={1.6} />}
            onClick={() => setDialog('in')}
          >
            {t('moves.in.open')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconArrowUpRight size={15} stroke={1.6} />}
            onClick={() => setDialog('out')}
          >
            {t('moves.out.open')}
          </Button>
        </div>
      ) : null}
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data === undefined && !error ? <Loading /> : null}
      {data && data.length > 0 ? (
        <ul className={classes.moves} aria-label={t('moves.title')}>
          {data.slice(0, MOST_SHOWN).map((move) => (
            <Move key={move.id} move={move} mayMove={mayMove} />
          ))}
        </ul>
      ) : null}
      {dialog === 'in' ? <InDialog onClose={close} /> : null}
      {dialog === 'out' ? <OutDialog onClose={close} /> : null}
    </div>
  );
}

function Move({ move, mayMove }: { move: MoveView; mayMove: boolean }) {
  const { t } = useTranslation('organizations');
  const { direction, other_name, amount, reason, status, asked_by_name, decided_by_name, created_at } = move;
  const isIn = direction === 'in';
  return (
    <li>
      <span className="anywhere">{t(`moves.${direction}.of`, { name: other_name })}</span>
      <span className="strong number">
        {isIn ? '+' : ''}
        <Quota quota={isIn ? amount : -amount} />
      </span>
      <span className="note anywhere">
        {t(`moves.status.${status}`, { name: status === 'open' ? asked_by_name : decided_by_name })}
        {' · '}
        <Moment timestamp={created_at} />
        {reason === '' ? null : <span className="block">{reason}</span>}
      </span>
      {status === 'open' ? <Answer move={move} mayMove={mayMove} /> : null}
    </li>
  );
}

function Answer({ move, mayMove }: { move: MoveView; mayMove: boolean }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const user = useUser();
  const { id, asked_by, may_accept } = move;
  const answer = useMutation({
    mutationFn: (isAccepted: boolean) =>
      isAccepted ? api.moves.accept({ params: { id } }) : api.moves.decline({ params: { id } }),
    onSuccess: (done) => toast.success(t(done.status === 'done' ? 'moves.done' : 'moves.declined')),
    onSettled: () => Promise.all(BALANCES_CHANGED.map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const isOwn = asked_by === user?.id;
  if (!may_accept && !(mayMove && isOwn)) return null;
  return (
    <span className="flow6">
      {may_accept ? (
        <Button
          size="compact-xs"
          variant="light"
          loading={answer.isPending}
          onClick={() => answer.mutate(true)}
        >
          {t('moves.accept')}
        </Button>
      ) : null}
      {mayMove && (may_accept || isOwn) ? (
        <Button
          size="compact-xs"
          variant="default"
          disabled={answer.isPending}
          onClick={() => answer.mutate(false)}
        >
          {t(isOwn ? 'moves.withdraw' : 'moves.decline')}
        </Button>
      ) : null}
    </span>
  );
}
