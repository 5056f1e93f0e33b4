/** The calls of a virtual model with a price of its own: kept sums have its name. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { virtualModelQueries } from '#web/features/virtual-models/queries.ts';
import { useVirtualModelSearch } from '#web/features/virtual-models/search.ts';
import { CallsPanel } from '#web/ui/thing/calls-panel.tsx';
import { MoneyLine } from '#web/ui/thing/money-line.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';

export function OwnCalls({ name }: { name: string }) {
  const { t } = useTranslation('virtual-models');
  const [search, change] = useVirtualModelSearch();
  const { data } = useQuery(virtualModelQueries.calls(name, search.window ?? '24h'));
  if (data === undefined) return null;
  return (
    <>
      <CallsPanel
        calls={data.calls}
        window={data.window}
        step={data.step}
        onWindow={(window) => change({ window: window === '24h' ? undefined : window }, { replace: true })}
        placeOf={(from, to) => ({ to: '/log', search: { model: name, from, to } })}
        isMean
      />
      <ThingPanel
        title={t('money')}
        hint={t('moneyHint', { from: data.money.from, to: data.money.to, zone: data.money.time_zone })}
        more={
          <Link to="/model/$" params={{ _splat: name }}>
            {t('moneyMore')}
          </Link>
        }
      >
        <MoneyLine money={data.money} />
      </ThingPanel>
    </>
  );
}
