/** The route simulator: which channels serve a model for a group, with what odds, and why not the others. */
import { Autocomplete, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelRoute, ChannelType } from '#contract/relay/channel-fields.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { useFacts } from '#web/ui/facts/use-facts.ts';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { ProviderMark } from './list/provider-mark.tsx';
import { channelQueries, typeLookup } from './queries.ts';
import classes from './dialogs/dialogs.module.css';

interface RouteDrawerProps {
  /** Models of the channels on the page, offered first. */
  models: readonly string[];
  groups: readonly string[] | undefined;
  types: readonly ChannelType[] | undefined;
  onOpenChannel: (id: number) => void;
  onClose: () => void;
}

const OTHERS_SHOWN = 50;

/** The figures that the order of channels goes by. */
function Why({
  candidate,
  order,
}: {
  candidate: ChannelRoute['candidates'][number];
  order: ChannelRoute['order'];
}) {
  const { t } = useTranslation('channels');
  const { place, cost, first_token, weight_factor, pause, at_limit, limit_share } = candidate;
  const parts = [
    ...(pause === null
      ? []
      : [t(pause.is_whole ? 'route.pausedWhole' : 'route.paused', { cause: t(`cause.${pause.cause}`) })]),
    ...(pause === null && at_limit ? [t('route.atLimitWhy')] : []),
    ...(limit_share < 1 && !at_limit
      ? [t('route.limitShare', { percent: Math.round(limit_share * 100) })]
      : []),
    ...(weight_factor < 1 ? [t('route.factor', { percent: Math.round(weight_factor * 100) })] : []),
    ...(order === 'weight' ? [] : [t('route.place', { place })]),
    ...(order === 'cheapest' || order === 'balanced'
      ? [cost === null ? t('route.costUnknown') : t('route.cost', { amount: formatMoney(cost, 6) })]
      : []),
    ...(order === 'fastest' || order === 'balanced'
      ? [
          first_token === 0
            ? t('route.notMeasured')
            : t('route.firstToken', { seconds: (first_token / 1000).toFixed(1) }),
        ]
      : []),
  ];
  return parts.length === 0 ? null : <> · {parts.join(' · ')}</>;
}

function Chance({ candidate }: { candidate: ChannelRoute['candidates'][number] }) {
  const { t } = useTranslation('channels');
  const { pause, at_limit, odds } = candidate;
  if (pause !== null) return <>{t('route.cooling', { seconds: pause.seconds })}</>;
  if (at_limit) return <>{t('route.atLimit')}</>;
  return <>{odds === 0 ? t('route.reserve') : `${(odds * 100).toFixed(1)}%`}</>;
}

const useVirtualModels = () => useQuery(channelQueries.virtualModels()).data ?? [];

function VirtualHint({ name }: { name: string }) {
  const { t } = useTranslation('channels');
  const models = useVirtualModels();
  if (!models.some((each) => each.enabled && each.name === name)) return null;
  return (
    <p className={classes.virtual}>
      {t('route.virtual')}{' '}
      <Link to="/virtual-model/$" params={{ _splat: name }}>
        {t('route.tryVirtual')}
      </Link>
    </p>
  );
}

export function RouteDrawer({ models, groups, types, onOpenChannel, onClose }: RouteDrawerProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const { language } = useFacts();
  const [model, setModel] = useState(models[0] ?? '');
  const [group, setGroup] = useState(groups?.includes('default') ? 'default' : (groups?.[0] ?? 'default'));
  const typeOf = useMemo(() => typeLookup(types), [types]);
  const { data, error, refetch } = useQuery(channelQueries.route(model.trim(), group));
  const others = data?.others.filter(({ reason }) => reason !== 'no_model') ?? [];
  const virtualModels = useVirtualModels();
  const without = (data?.others.length ?? 0) - others.length;
  return (
    <Drawer title={t('route.title')} onClose={onClose}>
      <div className={classes.routeForm}>
        <Autocomplete
          label={t('route.model')}
          value={model}
          data={[...new Set([...models, ...virtualModels.map(({ name }) => name)])]}
          limit={50}
          onChange={setModel}
        />
        <Select
          label={t('route.group')}
          value={group}
          data={[...(groups ?? [])]}
          allowDeselect={false}
          onChange={(value) => setGroup(value ?? group)}
        />
      </div>
      <VirtualHint name={model.trim()} />
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {!data && !error && model.trim() !== '' ? <PostLoader label={common('grid.loading')} /> : null}
      {data ? (
        <>
          <h3 className={classes.routeHead}>
            {data.candidates.length > 0
              ? t('route.serves', { count: data.candidates.length })
              : t('route.nobody')}
          </h3>
          {data.candidates.length > 0 ? (
            <p className="top8 note">
              {t(`route.order.${data.order}`, { share: `${data.exploration * 100}%` })}
            </p>
          ) : null}
          <ol className={classes.route}>
            {data.candidates.map((each) => (
              <li key={each.id}>
                <button type="button" onClick={() => onOpenChannel(each.id)}>
                  <ProviderMark type={each.type} mark={typeOf(each.type)?.mark ?? '?'} />
                  <span className={`stack grow anywhere ${classes.routeName}`}>
                    {each.name}
                    <small>
                      {t('route.rank', { tier: each.tier, priority: each.priority, weight: each.weight })}
                      {each.upstream_model === model.trim() ? '' : ` → ${each.upstream_model}`}
                      <Why candidate={each} order={data.order} />
                    </small>
                  </span>
                  <span className={`row8 end ${classes.odds}`}>
                    <span aria-hidden>
                      <i style={{ width: `${each.odds * 100}%` }} />
                    </span>
                    <Chance candidate={each} />
                  </span>
                </button>
              </li>
            ))}
          </ol>
          {others.length > 0 ? <h3 className={classes.routeHead}>{t('route.others')}</h3> : null}
          <ul className={classes.route}>
            {others.slice(0, OTHERS_SHOWN).map((each) => {
              return (
                <li key={each.id}>
                  <button type="button" onClick={() => onOpenChannel(each.id)}>
                    <ProviderMark type={each.type} mark={typeOf(each.type)?.mark ?? '?'} />
                    <span className={`stack grow anywhere ${classes.routeName}`}>
                      {each.name}
                      <small>
                        {t(`route.reason.${each.reason}`)}
                        {each.detail ? ` · ${channelReason(language, each.detail)}` : ''}
                      </small>
                    </span>
                  </button>
                </li>
              );
            })}
          </ul>
          {without > 0 ? <p className="top8 note">{t('route.withoutModel', { count: without })}</p> : null}
        </>
      ) : null}
    </Drawer>
  );
}
