/** The switches of the list: which group's prices, per how many tokens, in which money. */
import { ActionIcon, SegmentedControl, Select, Tooltip } from '@mantine/core';
import { IconBraces } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MONIES } from './search.ts';
import type { PricingSearch } from './search.ts';
import type { PriceUnit } from './unit.ts';
import type { ChangeSearch } from './use-pricing-search.ts';
import classes from './pricing.module.css';

/** With more groups than this the control is a select. */
const MOST_SEGMENTS = 4;

interface GroupSwitchProps {
  ratios: Record<string, number>;
  group: string;
  onChange: (group: string) => void;
}

export function GroupSwitch({ ratios, group, onChange }: GroupSwitchProps) {
  const { t } = useTranslation('pricing');
  const groups = Object.entries(ratios);
  if (groups.length > MOST_SEGMENTS) {
    return (
      <Select
        className={classes.groupSelect}
        aria-label={t('group.label')}
        data={groups.map(([name, ratio]) => ({ value: name, label: `${name} ${ratio}×` }))}
        value={group}
        allowDeselect={false}
        searchable
        onChange={(value) => value && onChange(value)}
      />
    );
  }
  return (
    <SegmentedControl
      aria-label={t('group.label')}
      value={group}
      onChange={onChange}
      data={groups.map(([name, ratio]) => ({
        value: name,
        label: (
          <span>
            {name} <small className="size11 regular">{ratio}×</small>
          </span>
        ),
      }))}
    />
  );
}

interface UnitSwitchesProps {
  search: PricingSearch;
  unit: PriceUnit;
  change: ChangeSearch;
}

export function UnitSwitches({ search, unit, change }: UnitSwitchesProps) {
  const { t } = useTranslation('pricing');
  return (
    <>
      <SegmentedControl
        aria-label={t('unit.tokens')}
        value={search.per ?? '1m'}
        onChange={(value) => change({ per: value === '1k' ? '1k' : undefined }, { replace: true })}
        data={[
          { value: '1m', label: '/ 1M' },
          { value: '1k', label: '/ 1K' },
        ]}
      />
      <SegmentedControl
        aria-label={t('unit.money')}
        value={unit.money}
        onChange={(value) => {
          const money = MONIES.find((known) => known === value);
          change({ money: money === 'usd' ? undefined : money }, { replace: true });
        }}
        data={[
          { value: 'usd', label: '$' },
          ...(unit.yuanPerDollar === undefined ? [] : [{ value: 'cny', label: '¥' }]),
          { value: 'quota', label: t('unit.quota') },
        ]}
      />
      <Tooltip label={t('feed')}>
        <ActionIcon component="a" href="/api/pricing" target="_blank" rel="noopener" aria-label={t('feed')}>
          <IconBraces size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}
