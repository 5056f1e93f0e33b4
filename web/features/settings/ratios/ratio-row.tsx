/** One model of the sheet: the editable cells, and the resulting prices in each group. */
import { ActionIcon } from '@mantine/core';
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { DollarCell } from './dollar-cell.tsx';
import { RatioCell } from './ratio-cell.tsx';
import { unitPrice, type Billing, type DollarPart, type RatioKey, type RatioRow } from './ratios.ts';
import { VendorMark } from '#web/ui/badge/vendor-mark.tsx';
import classes from './ratios.module.css';

export interface GroupColumn {
  group: string;
  ratio: number;
}

interface SheetRowProps {
  row: RatioRow;
  /** As stored. */
  before: RatioRow;
  billing: Billing;
  groups: readonly GroupColumn[];
  onCell: (key: RatioKey, model: string, value: number | undefined) => void;
  /** A price typed in dollars, at group ratio 1. */
  onDollars: (row: RatioRow, part: DollarPart, dollars: number) => void;
  onBilling: (model: string, billing: Billing) => void;
  onRemove: (model: string) => void;
  onUndo: (model: string) => void;
}

export const isRowChanged = (row: RatioRow, before: RatioRow): boolean =>
  row.price !== before.price || row.ratio !== before.ratio || row.completion !== before.completion;

export const SheetRow = memo(function SheetRow(props: SheetRowProps) {
  const { row, before, billing, groups, onCell, onDollars, onBilling, onRemove, onUndo } = props;
  const { t } = useTranslation('settings');
  const { model, facts } = row;
  const changed = isRowChanged(row, before);
  const own = row.price !== undefined || row.ratio !== undefined || row.completion !== undefined;
  const byCall = billing === 'call';
  const label = (column: string) => t('ratios.cellOf', { model, column });
  return (
    <tr data-changed={changed || undefined} data-model={model}>
      <th scope="row" className={classes.model}>
        <span className={classes.modelName} title={model}>
          <VendorMark vendor={row.vendor} />
          <span>{model}</span>
        </span>
      </th>
      <td>
        <select
          className={classes.billing}
          aria-label={t('ratios.billingOf', { model })}
          value={billing}
          onChange={(event) => onBilling(model, event.currentTarget.value === 'call' ? 'call' : 'usage')}
        >
          <option value="usage">{t('ratios.usage')}</option>
          <option value="call">{t('ratios.call')}</option>
        </select>
      </td>
      <RatioCell
        label={label(t('ratios.price'))}
        value={row.price}
        before={before.price}
        listed={facts?.list_price}
        closed={!byCall}
        onChange={(value) => onCell('ModelPrice', model, value)}
      />
      <RatioCell
        label={label(t('ratios.ratio'))}
        value={row.ratio}
        before={before.ratio}
        listed={facts?.list_ratio}
        closed={byCall}
        onChange={(value) => onCell('ModelRatio', model, value)}
      />
      <RatioCell
        label={label(t('ratios.completion'))}
        value={row.completion}
        before={before.completion}
        listed={facts?.list_completion_ratio}
        closed={byCall}
        onChange={(value) => onCell('CompletionRatio', model, value)}
      />
      {groups.map((column) => (
        <GroupPrice
          key={column.group}
          row={row}
          before={before}
          billing={billing}
          column={column}
          onDollars={onDollars}
        />
      ))}
      <td className={classes.act}>
        {changed ? (
          <ActionIcon size={24} aria-label={t('ratios.undo', { model })} onClick={() => onUndo(model)}>
            <IconArrowBackUp size={15} stroke={1.6} />
          </ActionIcon>
        ) : own ? (
          <ActionIcon size={24} aria-label={t('ratios.remove', { model })} onClick={() => onRemove(model)}>
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        ) : null}
      </td>
    </tr>
  );
}, isSameRow);

/** Row objects are rebuilt with every edit; memo renders only the edited one. */
function isSameRow(left: SheetRowProps, right: SheetRowProps): boolean {
  return (
    left.billing === right.billing &&
    left.groups === right.groups &&
    left.row.facts === right.row.facts &&
    !isRowChanged(left.row, right.row) &&
    !isRowChanged(left.before, right.before)
  );
}

interface GroupPriceProps {
  row: RatioRow;
  before: RatioRow;
  billing: Billing;
  column: GroupColumn;
  onDollars: SheetRowProps['onDollars'];
}

/** What the model costs in one group. Every price can be typed, unless the group is free. */
function GroupPrice({ row, before, billing, column, onDollars }: GroupPriceProps) {
  const { t } = useTranslation('settings');
  const { group, ratio } = column;
  const price = unitPrice(row);
  const old = unitPrice(before);
  const typed = (part: DollarPart) =>
    ratio > 0 ? (dollars: number) => onDollars(row, part, dollars / ratio) : undefined;
  const label = (name: string) => t('ratios.dollarsOf', { model: row.model, column: name, group });
  if (billing === 'call') {
    return (
      <DollarCell
        label={label(t('ratios.call'))}
        value={price && 'call' in price ? price.call * ratio : undefined}
        before={old && 'call' in old ? old.call * ratio : undefined}
        first
        perCall
        onChange={typed('call')}
      />
    );
  }
  const now = price && 'input' in price ? price : undefined;
  const stored = old && 'input' in old ? old : undefined;
  return (
    <>
      <DollarCell
        label={label(t('ratios.input'))}
        value={now && now.input * ratio}
        before={stored && stored.input * ratio}
        first
        onChange={typed('input')}
      />
      <DollarCell
        label={label(t('ratios.output'))}
        value={now && now.output * ratio}
        before={stored && stored.output * ratio}
        onChange={typed('output')}
      />
    </>
  );
}
