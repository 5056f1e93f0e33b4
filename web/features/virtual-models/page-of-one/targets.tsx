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
  const columns = useColumns(page.model);
  const rows = page.model.targets.map((target, index): Row => ({
    ...target,
    place: index + 1,
    found: page.targets.find((each) => each.model === target.model),
  }));
  return (
    <ThingTable label={t('targets.title')} columns={columns} rows={rows} rowKey={({ place }) => place} />
  );
}

function useColumns({ price, groups }: VirtualModelPage['model']): ThingColumn<Row>[] {
  const { t } = useTranslation('virtual-models');
  const words = useRuleWords();
  const columns: ThingColumn<Row>[] = [
    { key: 'model', head: t('targets.model'), cell: (row) => <Name row={row} /> },
    {
      key: 'when',
      head: t('targets.when'),
      isWide: true,
      cell: ({ when }) => words.joined(words.conditions(when)) || t('rule.always'),
    },
    {
      key: 'next',
      head: t('targets.next'),
      isWide: true,
      cell: ({ fall_back_on }) => words.fallbacks(fall_back_on),
    },
    { key: 'within', head: t('targets.within'), isNumber: true, cell: (row) => <Within row={row} /> },
    { key: 'channels', head: t('targets.channels'), isNumber: true, cell: (row) => <Channels row={row} /> },
  ];
  if (price === 'own') return columns;
  const cell = (row: Row) => <Price row={row} groups={groups} />;
  return [...columns, { key: 'price', head: t('targets.price'), unit: '/ 1M', isNumber: true, cell }];
}

function Name({ row: { place, model } }: { row: Row }) {
  return (
    <span className={`inline6 ${classes.model}`}>
      <span className="muted tabular">{place}</span>
      <Link to="/model/$" params={{ _splat: model }} className="quiet-link">
        {model}
      </Link>
    </span>
  );
}

function Within({ row: { first_token_seconds: seconds } }: { row: Row }) {
  const { t } = useTranslation('virtual-models');
  return seconds === undefined ? <Empty /> : <>{t('targets.seconds', { seconds })}</>;
}

function Price({ row: { found }, groups }: { row: Row; groups: readonly string[] }) {
  const { t } = useTranslation('virtual-models');
  const priceText = useUnitPriceText();
  const prices = found?.prices ?? [];
  const shown = prices.find(({ group }) => groups.includes(group)) ?? prices[0];
  if (shown === undefined) return <Empty />;
  if (shown.price === null) return <span className="danger">{t('noPrice')}</span>;
  return <span title={t('inGroup', { group: shown.group })}>{priceText(shown.price)}</span>;
}

function Channels({ row: { found } }: { row: Row }) {
  const { t } = useTranslation('virtual-models');
  if (found === undefined || found.all_channels === 0)
    return <span className="warning">{t('targets.unserved')}</span>;
  if (found.channels === 0) return <span className="danger">{t('targets.noChannel')}</span>;
  return <>{t('targets.channelsOf', { on: found.channels, all: found.all_channels })}</>;
}
