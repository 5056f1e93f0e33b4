/** The operator's page of a model: whether it can be called, prices, calls, the channels behind it, errors and events. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconListDetails, IconPlug, IconTags } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import type { ModelPage } from '#contract/admin/models.ts';
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTags } from '#web/ui/badge/tag.tsx';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import { namesJoined, sentenceGap } from '#web/ui/format/joined.ts';
import { CallsPanel } from '#web/ui/thing/calls-panel.tsx';
import { EventList } from '#web/ui/thing/event-list.tsx';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { FailuresPanel } from '#web/ui/thing/failures-panel.tsx';
import { ThingColumns, ThingPanel } from '#web/ui/thing/panel.tsx';
import { ThingAlert, ThingPage, type ThingAction } from '#web/ui/thing/thing-page.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';
import { ModelMoney } from './money.tsx';
import { modelQueries } from './queries.ts';
import { modelSearch } from './search.ts';

const MOST_PRICES = 4;
const MOST_REFUSALS = 4;

export function ModelOfOne({ name }: { name: string }) {
  const { t } = useTranslation('models');
  const { t: thing } = useTranslation('thing');
  const user = useUser();
  const [search, change] = useAddress(modelSearch);
  const { data, error, refetch } = useQuery(modelQueries.page(name, search.window ?? '24h'));
  const back = <Link to="/model">{t('title')}</Link>;
  if (data?.model !== name)
    return (
      <ThingPage back={back} name={name}>
        {error ? (
          <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} />
        ) : (
          <Loading shape="thing" />
        )}
      </ThingPage>
    );
  const logOf = (from: number, to: number, more: object = {}) => ({
    to: '/log' as const,
    search: { model: name, from, to, ...more },
  });
  const setsPrices = user !== undefined && isRoot(user.role);
  const actions: ThingAction[] = [
    {
      label: t('channels'),
      icon: IconPlug,
      renderRoot: (props) => <Link {...props} to="/channel" search={{ model: name }} />,
    },
    {
      label: t('logs'),
      icon: IconListDetails,
      renderRoot: (props) => <Link {...props} to="/log" search={{ model: name }} />,
    },
    ...(setsPrices
      ? [
          {
            label: t('setPrice'),
            icon: IconTags,
            renderRoot: (props: object) => <Link {...props} to="/prices" search={{ model: name }} />,
            isCure: data.alert?.kind === 'no_price',
          },
        ]
      : []),
  ];
  return (
    <ThingPage
      back={back}
      name={name}
      mark={<VendorMark vendor={data.vendor || name} />}
      state={<State page={data} />}
      since={data.alert?.since ?? 0}
      actions={actions}
      alert={<Alert page={data} />}
    >
      <ThingColumns kind="facts">
        <ThingPanel title={thing('facts')} isFlush>
          <Facts page={data} />
        </ThingPanel>
        <CallsPanel
          calls={data.calls}
          window={data.window}
          step={data.step}
          onWindow={(window) => change({ window: window === '24h' ? undefined : window }, { replace: true })}
          placeOf={logOf}
          isMean
        />
      </ThingColumns>
      <ModelMoney page={data} />
      <ThingColumns kind="events">
        <FailuresPanel
          failures={data.failures}
          window={data.window}
          placeOf={(from, to) => logOf(from, to, { type: LOG_TYPE.error })}
          isOfMany
        />
        <EventList events={data.events} namesChannel />
      </ThingColumns>
    </ThingPage>
  );
}

function State({ page: { alert, channels } }: { page: ModelPage }) {
  const { t } = useTranslation('models');
  if (alert?.kind === 'no_channel') return <StatusBadge kind="failed">{t('state.off')}</StatusBadge>;
  if (alert?.kind === 'no_price') return <StatusBadge kind="failed">{t('state.unpriced')}</StatusBadge>;
  return channels.some(({ status }) => status === CHANNEL_STATUS.enabled) ? (
    <StatusBadge kind="enabled">{t('state.on')}</StatusBadge>
  ) : (
    <StatusBadge kind="disabled">{t('state.unknown')}</StatusBadge>
  );
}

function Alert({ page: { alert } }: { page: ModelPage }) {
  const { t, i18n } = useTranslation('models');
  if (alert === null) return null;
  const [first] = alert.off;
  const gap = sentenceGap(i18n.language);
  const what =
    alert.kind === 'no_price'
      ? t('alert.noPrice')
      : alert.since > 0
        ? t('alert.noChannelSince', { time: absoluteTime(alert.since).slice(5, 16) })
        : t('alert.noChannel');
  const calls = groupDigits(alert.refused);
  return (
    <ThingAlert
      action={
        first === undefined ? undefined : (
          <Button
            variant="default"
            renderRoot={(props) => <Link {...props} to="/channel/$id" params={{ id: String(first.id) }} />}
          >
            {t('alert.open')}
          </Button>
        )
      }
    >
      <b>{what}</b>
      {gap}
      {alert.refused === 0
        ? ''
        : alert.users > 1
          ? t('alert.refused', { users: alert.users, calls })
          : t('alert.refusedOne', { calls })}
      {gap}
      {alert.off.length > 0
        ? `${t('alert.off')}${gap}${namesJoined(
            alert.off.map(({ name }) => name),
            i18n.language,
          )}`
        : ''}
    </ThingAlert>
  );
}

function Facts({ page }: { page: ModelPage }) {
  const { t, i18n } = useTranslation('models');
  const priceText = useUnitPriceText();
  const named = page.channels.filter(({ status, groups }) => status > 0 && groups.length > 0);
  const on = named.filter(({ status }) => status === CHANNEL_STATUS.enabled).length;
  const [cheapest] = named
    .filter(({ cost_price, status }) => cost_price !== null && status === CHANNEL_STATUS.enabled)
    .toSorted((left, right) => (left.cost_price?.output ?? 0) - (right.cost_price?.output ?? 0));
  const codeOf = (code: string): string => {
    const key = `code.${code}`;
    return i18n.exists(key, { ns: 'models' }) ? t(key as 'title') : code;
  };
  const facts: (Fact | false)[] = [
    ...page.prices.slice(0, MOST_PRICES).map(({ group, price }, at): Fact => ({
      label: at === 0 ? t('fact.price') : `${t('fact.price')} ${group}`,
      value: price === null ? t('noPrice') : priceText(price),
      tone: price === null ? 'danger' : undefined,
      derived: t('derived.group', { group }),
    })),
    {
      label: t('fact.channels'),
      value: named.length,
      tone: named.length > 0 && on === 0 ? 'danger' : undefined,
      derived: t('derived.on', { on }),
    },
    page.prices.length > 0 && {
      label: t('fact.groups'),
      value: <GroupTags groups={page.prices.map(({ group }) => group)} />,
    },
    cheapest !== undefined && {
      label: t('fact.cheapest'),
      value: priceText(cheapest.cost_price),
      derived: cheapest.name,
    },
    ...page.refused.slice(0, MOST_REFUSALS).map(({ code, count, users }): Fact => ({
      label: `${t('fact.refused')} · ${codeOf(code)}`,
      value: (
        <Link to="/log" search={{ model: page.model, type: LOG_TYPE.refused }} className="quiet-link">
          {groupDigits(count)}
        </Link>
      ),
      tone: 'warning',
      derived: t('derived.users', { count: users }),
    })),
  ];
  return <FactList facts={facts} />;
}
