/** One model of the sheet: the editable cells, and the resulting prices in each group. */
import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney } from '#web/ui/format/number.ts';
import { RatioCell } from './ratio-cell.tsx';
import { unitPrice, type Billing, type RatioKey, type RatioRow, type UnitPrice } from './ratios.ts';
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
  onBilling: (model: string, billing: Billing) => void;
  onRemove: (model: string) => void;
  onUndo: (model: string) => void;
}

export const isRowChanged = (row: RatioRow, before: RatioRow): boolean =>
  row.price !== before.price || row.ratio !== before.ratio || row.completion !== before.completion;

export const SheetRow = memo(function SheetRow(props: SheetRowProps) {
  const { row, before, billing, groups, onCell, onBilling, onRemove, onUndo } = props;
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
      {groups.map(({ group, ratio }) => (
        <GroupPrice key={group} price={unitPrice(row)} before={unitPrice(before)} ratio={ratio} />
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
  price: UnitPrice;
  before: UnitPrice;
  ratio: number;
}

function GroupPrice({ price, before, ratio }: GroupPriceProps) {
  const { t } = useTranslation('settings');
  if (price === undefined)
    return (
      <>
        <td className={classes.computed} data-first />
        <td className={classes.computed} />
      </>
    );
  if ('call' in price) {
    const old = before && 'call' in before ? before.call * ratio : undefined;
    return (
      <td className={classes.computed} colSpan={2} data-first data-number>
        <Movement value={price.call * ratio} before={old} />
        <span className={classes.unit}>{t('ratios.perCall')}</span>
      </td>
    );
  }
  const old = before && 'input' in before ? before : undefined;
  return (
    <>
      <td className={classes.computed} data-first data-number>
        <Movement value={price.input * ratio} before={old && old.input * ratio} />
      </td>
      <td className={classes.computed} data-number>
        <Movement value={price.output * ratio} before={old && old.output * ratio} />
      </td>
    </>
  );
}

/** Green when the user pays less, amber when more; the arrow shows it without the colour. */
export function Movement({ value, before }: { value: number; before: number | undefined }) {
  const text = formatMoney(value, value !== 0 && value < 1 ? 3 : 2);
  if (before === undefined || Math.abs(before - value) < 1e-9) return <span>{text}</span>;
  const up = value > before;
  const Arrow = up ? IconArrowUp : IconArrowDown;
  return (
    <b className={classes.movement} data-up={up || undefined}>
      <Arrow size={11} stroke={2} aria-hidden />
      {text}
    </b>
  );
}
