/** The operator's day: what needs a person, the money and its equation, refused calls, channels, the month. */
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { attentionQuery } from '#web/api/queries.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { sentenceGap } from '#web/ui/format/joined.ts';
import { Channels } from './channels.tsx';
import { EquationView } from './equation.tsx';
import { Month } from './month.tsx';
import { Needs } from './needs.tsx';
import { Sentence, Waiting } from './parts.tsx';
import { overviewQueries } from './queries.ts';
import { Refused } from './refused.tsx';
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
  const space = needs === '' ? '' : sentenceGap(i18n.language);
  return (
    <>
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
        <Refused refused={data.refused} now={data.now} />
      </div>
      <Channels data={data} />
      <Month data={data} />
    </>
  );
}
