/** One strip of six figures: value, change against the previous period, sparkbars, one line of context. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import type { AccountBalance } from '#web/api/balance.ts';
import { Sparkbars } from '#web/ui/badge/posts.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { StatAmount } from '#web/ui/format/page-amounts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { moneyText } from '#web/ui/format/money.ts';
import { groupDigits, renderNumber, renderQuota } from '#web/ui/format/number.ts';
import { changeOf, perMinute, successRate, type Span, type Totals } from './figures.ts';
import classes from './dashboard.module.css';

interface TilesProps {
  totals: Totals;
  before: Totals | undefined;
  byBucket: readonly Totals[];
  span: Span;
  days: number;
  balance: AccountBalance | undefined;
  /** A member of an organization who may not read its bills. */
  hidesBalance: boolean;
  /** Days that it lasts; null: nothing was spent lately. */
  runway: number | null | undefined;
  /** Of an operator who looks at everybody. */
  money: OperatorOverview | undefined;
  /** The figures are the user's own. */
  isOwn: boolean;
  /** What cached answers saved, and for operators the memory they take; undefined where none are kept. */
  kept: { hits: number; misses: number; saved: number; bytes?: number } | undefined;
  /** Calls refused before any attempt; they lower the success rate. */
  refused: number;
}

const MOST_POSTS = 24;
/** Small rates have decimals, large ones are abbreviated. */
const decimals = (value: number) =>
  value >= 10_000
    ? renderNumber(Math.round(value))
    : value.toLocaleString('en-US', { maximumFractionDigits: value < 1 ? 3 : value < 100 ? 2 : 0 });

export function Tiles(props: TilesProps) {
  const { totals, before, byBucket, span, days, balance, hidesBalance, runway, money, isOwn, refused, kept } =
    props;
  const { t } = useTranslation('dashboard');
  const display = useDisplay();
  const rate = successRate({ ...totals, errors: totals.errors + refused });
  const { rpm, tpm } = perMinute(totals, span);
  const recent = byBucket.slice(-MOST_POSTS);
  const perDay = totals.quota / days;
  const posts = (label: string, valueOf: (bucket: Totals) => number) => (
    <Sparkbars values={recent.map(valueOf)} label={label} height={24} postWidth={3} />
  );
  const keptText = ({ hits, misses, bytes }: NonNullable<TilesProps['kept']>) => {
    const shown = { hits: renderNumber(hits), rate: `${((hits / (hits + misses)) * 100).toFixed(1)}%` };
    return bytes === undefined
      ? t('tile.keptHits', shown)
      : t('tile.keptMemory', { ...shown, megabytes: (bytes / 1024 / 1024).toFixed(1) });
  };
  return (
    <dl className={classes.tiles}>
      {isOwn ? (
        <Tile
          label={t('tile.balance')}
          value={hidesBalance ? '–' : <StatAmount quota={balance?.quota ?? 0} />}
          context={
            typeof runway === 'number'
              ? t('tile.runway', { days: renderNumber(runway) })
              : balance?.used_quota === undefined
                ? undefined
                : t('tile.noRunway', { used: renderQuota(balance.used_quota, display) })
          }
        />
      ) : (
        <Owed money={money} />
      )}
      <Tile
        label={t('tile.spend')}
        change={changeOf(totals.quota, before?.quota)}
        value={<StatAmount quota={totals.quota} />}
        posts={posts(t('tile.spend'), (bucket) => bucket.quota)}
        context={
          kept && kept.hits > 0
            ? t('tile.kept', { saved: renderQuota(kept.saved, display) })
            : t('tile.perDay', { value: renderQuota(Math.round(perDay), display) })
        }
      />
      <Tile
        label={t('tile.requests')}
        change={changeOf(totals.count, before?.count)}
        value={<Count value={totals.count} />}
        posts={posts(t('tile.requests'), (bucket) => bucket.count)}
        context={
          kept && kept.hits > 0
            ? keptText(kept)
            : isOwn && balance?.request_count !== undefined
              ? t('tile.requestsAll', { total: groupDigits(balance.request_count) })
              : t('tile.perDay', { value: renderNumber(Math.round(totals.count / days)) })
        }
      />
      <Tile
        label={t('tile.tokens')}
        change={changeOf(totals.tokens, before?.tokens)}
        value={<Count value={totals.tokens} />}
        posts={posts(t('tile.tokens'), (bucket) => bucket.tokens)}
        context={t('tile.tokensParts', {
          prompt: renderNumber(totals.prompt),
          completion: renderNumber(totals.completion),
        })}
      />
      <Tile
        label={t('tile.success')}
        value={rate === undefined ? '–' : `${(rate * 100).toFixed(2)}%`}
        posts={posts(t('tile.success'), (bucket) => successRate(bucket) ?? 0)}
        context={
          refused === 0
            ? t('tile.failed', { count: totals.errors })
            : t('tile.failedRefused', { failed: groupDigits(totals.errors), refused: groupDigits(refused) })
        }
      />
      <Tile
        label={t('tile.rate')}
        value={`${decimals(rpm)} / ${decimals(tpm)}`}
        context={t('tile.rateHint')}
      />
    </dl>
  );
}

/** What is owed to users, and the money of the month behind it; the overview opens the equation. */
function Owed({ money }: Pick<TilesProps, 'money'>) {
  const { t, i18n } = useTranslation('dashboard');
  const display = useDisplay();
  if (money === undefined) return <Tile label={t('tile.owed')} value="" context="" />;
  const { total } = money.month;
  const came = total.came_in
    .map(({ currency, amount_minor, digits }) =>
      moneyText({ currency, amount_minor, currency_digits: digits }, i18n.language),
    )
    .join(' + ');
  const said = t('tile.month', {
    came: came || t('tile.nothing'),
    cost: renderQuota(total.cost, display, 2),
    margin: renderQuota(total.margin, display, 2),
  });
  return (
    <Tile
      label={t('tile.owed')}
      value={<StatAmount quota={money.owed.quota} />}
      context={
        <Link to="/overview" search={{ day: 'month' }} className="block">
          {said}
        </Link>
      }
    />
  );
}

interface TileProps {
  label: string;
  value: ReactNode;
  context: ReactNode;
  change?: number;
  posts?: ReactNode;
}

function Tile({ label, value, context, change, posts }: TileProps) {
  const { t } = useTranslation('dashboard');
  return (
    <div className={classes.tile}>
      <dt>
        <span className="ellipsis">{label}</span>
        {change === undefined ? null : (
          <span title={t('tile.before')}>
            {change >= 0 ? '↗ +' : '↘ −'}
            {(Math.abs(change) * 100).toFixed(1)}%
          </span>
        )}
      </dt>
      <dd className={classes.value}>
        <span>{value}</span>
        {posts}
      </dd>
      <dd className="note anywhere">{context}</dd>
    </div>
  );
}
