/** What a virtual model is set to, and who can call it. */
import { useTranslation } from 'react-i18next';
import type { VirtualModelPage } from '#contract/relay/virtual-models.ts';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

const MOST_PRICES = 3;

export function VirtualModelFacts({ page }: { page: VirtualModelPage }) {
  const { t } = useTranslation('virtual-models');
  const priceText = useUnitPriceText();
  const { model, own_prices } = page;
  const ownPrices =
    model.price === 'own'
      ? own_prices.slice(0, MOST_PRICES).map(({ group, price }, at): Fact => ({
          label: at === 0 ? t('fact.ownPrice') : `${t('fact.ownPrice')} ${group}`,
          value: price === null ? t('noPrice') : priceText(price),
          tone: price === null ? 'danger' : undefined,
          derived: t('inGroup', { group }),
        }))
      : [];
  return (
    <FactList
      facts={[
        model.description !== '' && { label: t('fact.description'), value: model.description },
        { label: t('fact.price'), value: t(`form.prices.${model.price}`) },
        ...ownPrices,
        { label: t('fact.body'), value: t(`form.bodyModels.${model.body_model}`) },
        model.hedge && { label: t('fact.hedge'), value: t('hedged') },
        {
          label: t('fact.groups'),
          value:
            model.groups.length === 0 ? (
              t('nobody')
            ) : (
              <span className="wrap8">
                {model.groups.map((group) => (
                  <GroupTag key={group} group={group} />
                ))}
              </span>
            ),
          tone: model.enabled && model.groups.length === 0 ? 'danger' : undefined,
        },
        model.is_shadowing && { label: t('fact.replaces'), value: t('replaced') },
        { label: t('fact.created'), value: <Moment timestamp={model.created_at} /> },
        model.updated_at > model.created_at && {
          label: t('fact.updated'),
          value: <Moment timestamp={model.updated_at} />,
        },
      ]}
    />
  );
}
