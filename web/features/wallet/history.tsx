/** What came into the balance and left it besides calls, newest first. */
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { WalletEntry } from '#contract/money/wallet.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import { useColumnDecimals } from '#web/ui/format/column-decimals.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import layout from '#web/ui/input/form.module.css';
import { Block } from './block.tsx';
import { useKindName } from '#web/ui/format/ledger-kinds.ts';
import { walletQueries } from './queries.ts';
import classes from './wallet.module.css';

export function History() {
  const { t } = useTranslation('wallet');
  const { t: ui } = useTranslation('ui');
  const history = useInfiniteQuery(walletQueries.history());
  const entries = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const decimals = useColumnDecimals(entries.map(({ amount }) => amount));
  return (
    <Block title={t('history.title')} fact={<StatementLink />}>
      {history.isPending ? <PostLoader label={ui('grid.loading')} /> : null}
      {history.error ? (
        <ErrorState message={errorMessage(history.error)} onRetry={() => void history.refetch()} />
      ) : null}
      {history.data && entries.length === 0 ? (
        <p className={`row6 top4 caption ${classes.hint}`}>{t('history.none')}</p>
      ) : null}
      {entries.length > 0 ? (
        <ul className={classes.entries}>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} decimals={decimals} />
          ))}
        </ul>
      ) : null}
      {history.hasNextPage ? (
        <Button
          variant="default"
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          {t('history.more')}
        </Button>
      ) : null}
    </Block>
  );
}

function StatementLink() {
  const { t } = useTranslation('wallet');
  return (
    <Link to="/statement" className={layout.link}>
      {t('statement.title')}
    </Link>
  );
}

function Entry({ entry, decimals }: { entry: WalletEntry; decimals: number }) {
  const { t } = useTranslation('wallet');
  const kindName = useKindName();
  return (
    <li>
      <span className={`flex8 shrink ${classes.what}`}>
        <span>{kindName(entry.kind)}</span>
        {entry.note && entry.order_id === 0 ? <span title={entry.note}>{entry.note}</span> : null}
        {entry.order_id > 0 ? (
          <Link
            to="/order/$id"
            params={{ id: String(entry.order_id) }}
            className={`quiet-link ellipsis ${classes.order}`}
            title={entry.note}
          >
            {entry.note}
          </Link>
        ) : null}
        {entry.kind === 'topup' ? (
          <Link
            to="/receipt"
            search={{ order: entry.note }}
            className={layout.link}
            aria-label={t('receipt.of', { order: entry.note })}
          >
            {t('receipt.title')}
          </Link>
        ) : null}
      </span>
      <Moment timestamp={entry.created_at} absolute />
      <span className={`strong success number ${classes.change}`} data-out={entry.amount < 0 || undefined}>
        {entry.amount > 0 ? '+' : ''}
        <Quota quota={entry.amount} decimals={decimals} />
      </span>
    </li>
  );
}
