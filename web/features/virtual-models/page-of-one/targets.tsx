/** The targets of a virtual model in order: rules in words, channels, prices. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { VirtualModelPage } from '#contract/relay/virtual-models.ts';
import { useRuleWords } from '#web/features/virtual-models/rule-words.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { ThingTable, type ThingColumn } from '#web/ui/thing/thing-table.tsx';
import { useUnitPriceText } from '#web/ui/thing/unit-price.tsx';

import classes from './targets.module.css';

type Row = VirtualModelPage['model']['targets'][number] & {
  place: number;
  found: VirtualModelPage['targets'][number] | undefined;
};

export function TargetTable({ page }: { page: VirtualModelPage }) {
  const { t } = useTranslation('virtual-models');
  const words = useRuleWords();
  const priceText = useUnitPriceText();
  const { model } = page;
  const rows = model.targets.map((target, index): Row => ({
    ...target,
    place: index + 1,
    found: page.targets.find((each) => each.model === target.model),
  }));
  const priceOf = ({ found }: Row) => {
    const prices = found?.prices ?? [];
    const shown = prices.find(({ group }) => model.groups.includes(group)) ?? prices[0];
    if (shown === undefined) return <Empty />;
    if (shown.price === null) return <span className="danger">{t('noPrice')}</span>;
    return <span title={t('inGroup', { group: shown.group })}>{priceText(shown.price)}</span>;
  };
  const columns: ThingColumn<Row>[] = [
    {
      key: 'model',
      head: t('targets.model'),
      cell: ({ place, model: name }) => (
        <span className={`inline6 ${classes.model}`}>
          <span className="muted tabular">{place}</span>
          <Link to="/model/$" params={{ _splat: name }} className="quiet-link">
            {name}
          </Link>
        </span>
      ),
    },
    {
      key: 'when',
      head: t('targets.when'),
      isWide: true,
      cell: ({ when }) => words.joined(words.conditions(when)) || t('rule.always'),
    },
    {
      key: 'then',
      head: t('targets.then'),
      isWide: true,
      cell: ({ fall_back_on }) => words.fallbacks(fall_back_on),
    },
    {
      key: 'within',
      head: t('targets.within'),
      isNumber: true,
      cell: ({ first_token_seconds: seconds }) =>
        seconds === undefined ? <Empty /> : t('targets.seconds', { seconds }),
    },
    { key: 'channels', head: t('targets.channels'), isNumber: true, cell: (row) => <Channels row={row} /> },
    ...(model.price === 'own'
      ? []
      : [{ key: 'price', head: t('targets.price'), unit: '/ 1M', isNumber: true, cell: priceOf }]),
  ];
  return (
    <ThingTable label={t('targets.title')} columns={columns} rows={rows} rowKey={({ place }) => place} />
  );
}

function Channels({ row: { found } }: { row: Row }) {
  const { t } = useTranslation('virtual-models');
  if (found === undefined || found.all_channels === 0)
    return <span className="warning">{t('targets.unserved')}</span>;
  if (found.channels === 0) return <span className="danger">{t('targets.noChannel')}</span>;
  return <>{t('targets.channelsOf', { on: found.channels, all: found.all_channels })}</>;
}
