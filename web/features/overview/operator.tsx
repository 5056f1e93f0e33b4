/** The operator's day: what needs a person, the money and its equation, refused calls, channels, the month. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OperatorOverview, Refusal } from '#contract/admin/overview.ts';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { Sparkbars } from '#web/ui/badge/posts.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { EquationView } from './equation.tsx';
import { paidText, shownMoney } from './money-words.ts';
import { Needs } from './needs.tsx';
import { Head, Panel, Sentence, Waiting } from './parts.tsx';
import { Posts } from './posts.tsx';
import { overviewQueries } from './queries.ts';
import type { OverviewSearch } from './search.ts';
import { DAY_WORDS, moneySentence, needSentence, type Say } from './sentence.ts';
import classes from './overview.module.css';

interface OperatorProps {
  search: OverviewSearch;
  change: ChangeAddress<OverviewSearch>;
}

export function Operator({ search, change }: OperatorProps) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  const day = search.day ?? 'yesterday';
  const facts = useQuery(overviewQueries.operator(day));
  const attention = useQuery(attentionQuery);
  const { data } = facts;
  if (!data)
    return (
      <>
        {facts.error ? (
          <ErrorState message={errorMessage(facts.error)} onRetry={() => void facts.refetch()} />
        ) : (
          <Waiting />
        )}
        <Needs />
      </>
    );
  const say: Say = (key, values) => t(`sentence.${key}` as 'sentence.came', values as { amount: string });
  const joins = { comma: t('join.comma'), semicolon: t('join.semicolon'), stop: t('join.stop') };
  const needs = needSentence(attention.data?.items ?? [], say, joins);
  const money = moneySentence(data, say, display, i18n.language, joins) || t('sentence.none');
  const space = needs === '' || i18n.language.startsWith('zh') ? '' : ' ';
  return (
    <>
      <Head now={data.now} zone={data.money_zone} />
      <Sentence text={`${needs}${space}${t(`sentence.${DAY_WORDS[day]}`)}${money}`} search={search} />
      {search.open ? (
        <EquationView
          data={data}
          name={search.open}
          onClose={() => change({ open: undefined }, { replace: true })}
        />
      ) : null}
      <div className={classes.two}>
        <Needs />
        <Refused refused={data.refused} />
      </div>
      <Channels data={data} />
      <Month data={data} />
    </>
  );
}

function Refused({ refused }: Pick<OperatorOverview, 'refused'>) {
  const { t } = useTranslation('overview');
  const groups = (['ours', 'callers'] as const).filter((name) => refused[name].length > 0);
  return (
    <Panel
      title={t('refused.title')}
      hint={t('refused.share', { total: groupDigits(refused.total), calls: groupDigits(refused.calls) })}
    >
      {groups.length === 0 ? <p className="caption">{t('refused.none')}</p> : null}
      {groups.map((name) => (
        <div key={name}>
          <h3 className={name === 'ours' ? 'size12 danger' : 'size12 soft'}>
            {t(`refused.${name}`, {
              count: groupDigits(refused[name].reduce((sum, { count }) => sum + count, 0)) as never,
            })}
          </h3>
          <ul className={classes.rows}>
            {refused[name].map((each) => (
              <RefusedRow key={each.code} refusal={each} />
            ))}
          </ul>
        </div>
      ))}
    </Panel>
  );
}

function RefusedRow({ refusal: { code, count, users, models } }: { refusal: Refusal }) {
  const { t, i18n } = useTranslation('overview');
  const key = `refused.code.${code}` as 'refused.code.no_price';
  return (
    <li>
      <span className="grow anywhere">
        {i18n.exists(key, { ns: 'overview' }) ? String(t(key)) : code}{' '}
        <span className="note">
          {models.length > 0 ? models.join(', ') : t('refused.users', { count: users })}
        </span>
      </span>
      <span className="tabular">{groupDigits(count)}</span>
    </li>
  );
}

function Channels({ data }: { data: OperatorOverview }) {
  const { t } = useTranslation('overview');
  return (
    <Panel
      title={t('channels.title')}
      hint={t('channels.hint')}
      more={<Link to="/channel">{t('channels.all', { count: data.channel_count })}</Link>}
    >
      {data.channels.length === 0 ? <p className="caption">{t('channels.none')}</p> : null}
      <ul className={`${classes.rows} ${classes.columns}`}>
        {data.channels.map(({ id, name, posts, calls, failures, first_token_p50, off_since }) => (
          <li key={id}>
            <span className="grow anywhere">
              <Link to="/channel/$id" params={{ id: String(id) }}>
                {name}
              </Link>{' '}
              {off_since > 0 ? (
                <span className="size12 danger">
                  {t('channels.off', { time: absoluteTime(off_since).slice(5, 16) })}
                </span>
              ) : null}
            </span>
            <Posts posts={posts} />
            <span className={`note tabular nowrap ${classes.figures}`}>
              {calls + failures === 0 ? '' : `${((calls / (calls + failures)) * 100).toFixed(1)} % · `}
              {first_token_p50 > 0 ? `${(first_token_p50 / 1000).toFixed(2)} s · ` : ''}
              {groupDigits(calls + failures)} {t('channels.calls').toLowerCase()}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Month({ data: { month, owed } }: { data: OperatorOverview }) {
  const { t, i18n } = useTranslation('overview');
  const display = useDisplay();
  const shown = shownMoney(month.total, display);
  const main = month.total.came_in[0]?.currency;
  const came = month.days.map(
    (day) => day.came_in.find(({ currency }) => currency === main)?.amount_minor ?? 0,
  );
  const tiles = [
    { name: 'came', value: paidText(month.total.came_in, i18n.language), posts: came },
    ...(['used', 'cost', 'margin', 'unknown'] as const).map((name) => ({
      name,
      value: shown[name],
      posts: month.days.map((day) => Math.max(0, day[name])),
    })),
  ] as const;
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
        {tiles.map(({ name, value, posts }) => (
          <div key={name}>
            <dt className="note">{t(`equation.${name}`)}</dt>
            <dd className="title">{value ?? t('month.nothing')}</dd>
            <dd>
              <Sparkbars
                values={posts}
                postWidth={3}
                label={t('month.posts', { name: t(`equation.${name}`) })}
              />
            </dd>
          </div>
        ))}
        <div>
          <dt className="note">{t('month.owed')}</dt>
          <dd className="title">{renderQuota(owed.quota, display, 2)}</dd>
          {owed.days === null ? null : (
            <dd className="note">{t('month.lasts', { count: Math.floor(owed.days) })}</dd>
          )}
        </div>
      </dl>
    </Panel>
  );
}
