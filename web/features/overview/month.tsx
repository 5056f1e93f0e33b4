/** The money of the month by day, and what is owed to users: one strip of tiles, each with what to compare it to. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import type { OperatorOverview } from '#contract/admin/overview.ts';
import { Sparkbars } from '#web/ui/badge/posts.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { moneyText } from '#web/ui/format/money.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { roundedMoney } from '#web/ui/format/shown-money.ts';
import { paidText } from './money-words.ts';
import { Panel } from './parts.tsx';
import classes from './month.module.css';

interface TileProps {
  name: string;
  /** Right of the name. */
  beside?: string | undefined;
  value: string | undefined;
  posts?: readonly number[];
  children: ReactNode;
}

function Tile({ name, beside, value, posts, children }: TileProps) {
  const { t } = useTranslation('overview');
  const nothing = t('month.nothing');
  // The cents of a headline are smaller than the dollars.
  const [, whole = value, cents = ''] = /^(.*\d)(\.\d\d)$/.exec(value ?? '') ?? [];
  return (
    <div className={classes.tile}>
      <dt className="row8 note">
        {name}
        {beside ? <span className="push-right">{beside}</span> : null}
      </dt>
      <dd className={classes.value}>
        <span className={value === undefined ? 'amount muted' : 'amount'}>
          {value === undefined ? nothing : whole}
          {cents === '' ? null : <span className="size13 muted regular">{cents}</span>}
        </span>
        {posts && posts.length > 1 ? (
          <Sparkbars values={posts} postWidth={3} height={22} label={t('month.posts', { name })} />
        ) : null}
      </dd>
      <dd className="note cut">{children}</dd>
    </div>
  );
}

/** More posts do not fit beside a value. */
const MOST_POSTS = 16;

export function Month({ data }: { data: OperatorOverview }) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  const { month, owed, unknown_channels: unpriced } = data;
  const { total, largest } = month;
  const rounded = roundedMoney(total, display);
  const main = total.came_in[0]?.currency;
  const came = month.days.map(
    (day) => day.came_in.find(({ currency }) => currency === main)?.amount_minor ?? 0,
  );
  const shown = (name: 'used' | 'cost' | 'margin' | 'unknown') => ({
    name: t(`equation.${name}`),
    value: rounded[name] === 0 ? undefined : rounded.text(rounded[name]),
    posts: month.days.map((day) => day[name]).slice(-MOST_POSTS),
  });
  const known = rounded.used - rounded.unknown;
  const orders = total.came_in.reduce((sum, each) => sum + each.orders, 0);
  const [first] = unpriced;
  return (
    <Panel
      title={t('month.title')}
      hint={t('month.hint', { from: month.from })}
      more={
        <Link to="/margins" search={{ by: 'day' }}>
          {t('month.byDay')}
        </Link>
      }
    >
      <dl className={classes.tiles}>
        <Tile
          name={t('equation.came')}
          beside={orders > 0 ? t('equation.orders', { count: orders }) : undefined}
          value={paidText(total.came_in, i18n.language)}
          posts={came.slice(-MOST_POSTS)}
        >
          {largest
            ? t('month.largest', {
                amount: moneyText(
                  {
                    currency: largest.currency,
                    amount_minor: largest.amount_minor,
                    currency_digits: largest.digits,
                  },
                  i18n.language,
                ),
                name: largest.username,
              })
            : ''}
        </Tile>
        <Tile {...shown('used')}>
          {t('month.perDay', {
            amount: renderQuota(Math.round(total.used / Math.max(1, month.days.length)), display, 2),
          })}
        </Tile>
        <Tile {...shown('cost')}>
          {total.fees > 0 ? t('month.fees', { amount: renderQuota(total.fees, display, 2) }) : ''}
        </Tile>
        <Tile
          {...shown('margin')}
          beside={known > 0 ? `${((rounded.margin / known) * 100).toFixed(1)}%` : undefined}
        >
          {known > 0 ? t('month.ofKnown', { amount: rounded.text(known) }) : ''}
        </Tile>
        <Tile {...shown('unknown')}>
          {first ? (
            <Link to="/channel/$id" params={{ id: String(first.id) }}>
              {t('equation.missing', { count: unpriced.length })}
            </Link>
          ) : (
            ''
          )}
        </Tile>
        <Tile
          name={t('month.owed')}
          beside={t('month.users', { count: owed.users })}
          value={renderQuota(owed.quota, display, 2)}
        >
          {owed.days === null
            ? ''
            : owed.days < 1
              ? t('month.lastsNot')
              : t('month.lasts', { count: Math.floor(owed.days) })}
        </Tile>
      </dl>
    </Panel>
  );
}
