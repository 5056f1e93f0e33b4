/** One model of the sheet: the editable cells, and the resulting prices in each group. */
import { ActionIcon } from '@mantine/core';
import { IconArrowBackUp, IconTrash } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { DollarCell } from './dollar-cell.tsx';
import { RatioCell, ResolutionCell } from './ratio-cell.tsx';
import { inGroup, unitPrice, withoutGroup, type DollarPart } from './dollars.ts';
import { resolutionText, type Billing, type RatioKey, type RatioRow } from './ratios.ts';
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
  /** The stored ratios instead of the prices that they make. */
  ratios: boolean;
  onCell: (key: RatioKey, model: string, value: number | undefined) => void;
  /** A price typed in dollars, at group ratio 1. */
  onDollars: (row: RatioRow, part: DollarPart, dollars: number) => void;
  onBilling: (row: RatioRow, billing: Billing) => void;
  onResolutions: (row: RatioRow, prices: Record<string, number>) => void;
  onRemove: (model: string) => void;
  onUndo: (model: string) => void;
}

export const isRowChanged = (row: RatioRow, before: RatioRow): boolean =>
  row.price !== before.price ||
  row.ratio !== before.ratio ||
  row.completion !== before.completion ||
  row.unit !== before.unit ||
  resolutionText(row.resolutions) !== resolutionText(before.resolutions);

const BILLINGS = ['usage', 'call', 'second'] as const satisfies Billing[];

export const SheetRow = memo(function SheetRow(props: SheetRowProps) {
  const { row, before, billing, groups, ratios, onDollars, onBilling, onResolutions, onRemove, onUndo } =
    props;
  const { t } = useTranslation('sheet');
  const { model, facts } = row;
  const changed = isRowChanged(row, before);
  const own = [row.price, row.ratio, row.completion, row.unit, row.resolutions].some(
    (value) => value !== undefined,
  );
  const isFixed = billing !== 'usage';
  // Only videos have a resolution.
  const hasResolutions = billing === 'second' || (isFixed && row.resolutions !== undefined);
  const resolution = hasResolutions ? (
    <ResolutionCell
      label={t('cellOf', { model, column: t('resolutions') })}
      value={row.resolutions}
      before={before.resolutions}
      listed={row.price === undefined ? facts?.list_resolutions : undefined}
      narrow={!ratios}
      onChange={(prices) => onResolutions(row, prices)}
    />
  ) : null;
  return (
    <tr data-changed={changed || undefined} data-model={model}>
      <th scope="row" className={classes.model}>
        <span className={`row8 ${classes.modelName}`} title={model}>
          <VendorMark vendor={row.vendor} />
          <span>{model}</span>
        </span>
      </th>
      <td>
        <select
          className={classes.billing}
          aria-label={t('billingOf', { model })}
          value={billing}
          onChange={(event) =>
            onBilling(row, BILLINGS.find((each) => each === event.currentTarget.value) ?? 'usage')
          }
        >
          {BILLINGS.map((each) => (
            <option key={each} value={each}>
              {t(each)}
            </option>
          ))}
        </select>
      </td>
      {ratios ? (
        <StoredCells {...props} resolution={resolution} />
      ) : (
        <>
          <GroupPrice
            row={row}
            before={before}
            billing={billing}
            column={BASE}
            isBase
            narrow={resolution !== null}
            onDollars={onDollars}
          />
          {resolution}
        </>
      )}
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
          <ActionIcon size={24} aria-label={t('undo', { model })} onClick={() => onUndo(model)}>
            <IconArrowBackUp size={15} stroke={1.6} />
          </ActionIcon>
        ) : own ? (
          <ActionIcon size={24} aria-label={t('remove', { model })} onClick={() => onRemove(model)}>
            <IconTrash size={15} stroke={1.6} />
          </ActionIcon>
        ) : null}
      </td>
    </tr>
  );
}, isSameRow);

/** The numbers as the options store them. */
function StoredCells({
  row,
  before,
  billing,
  onCell,
  onDollars,
  resolution,
}: Pick<SheetRowProps, 'row' | 'before' | 'billing' | 'onCell' | 'onDollars'> & { resolution: ReactNode }) {
  const { t } = useTranslation('sheet');
  const { model, facts } = row;
  const isFixed = billing !== 'usage';
  const label = (column: string) => t('cellOf', { model, column });
  return (
    <>
      <RatioCell
        label={label(t('price'))}
        name={t('price')}
        value={row.price}
        before={before.price}
        listed={facts?.list_price}
        closed={!isFixed}
        onChange={(value) => onCell('ModelPrice', model, value)}
        onDollars={(dollars) => onDollars(row, 'call', dollars)}
      />
      {resolution ?? (
        <>
          <RatioCell
            label={label(t('ratio'))}
            name={t('ratio')}
            value={row.ratio}
            before={before.ratio}
            listed={facts?.list_ratio}
            closed={isFixed}
            onChange={(value) => onCell('ModelRatio', model, value)}
            onDollars={(dollars) => onDollars(row, 'input', dollars)}
          />
          <RatioCell
            label={label(t('completion'))}
            name={t('completion')}
            value={row.completion}
            before={before.completion}
            listed={facts?.list_completion_ratio}
            closed={isFixed}
            onChange={(value) => onCell('CompletionRatio', model, value)}
            onDollars={(dollars) => onDollars(row, 'output', dollars)}
          />
        </>
      )}
    </>
  );
}

/** Row objects are rebuilt with every edit; memo renders only the edited one. */
function isSameRow(left: SheetRowProps, right: SheetRowProps): boolean {
  return (
    left.billing === right.billing &&
    left.groups === right.groups &&
    left.ratios === right.ratios &&
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
  isBase?: boolean;
  narrow?: boolean;
  onDollars: SheetRowProps['onDollars'];
}

/** What the operator sets; every group pays it times its ratio. */
const BASE: GroupColumn = { group: '', ratio: 1 };

/** What the model costs in one group. Every price can be typed, unless the group is free. */
function GroupPrice({ row, before, billing, column, isBase, narrow, onDollars }: GroupPriceProps) {
  const { t } = useTranslation('sheet');
  const { group, ratio } = column;
  const price = unitPrice(row);
  const old = unitPrice(before);
  const typed = (part: DollarPart) =>
    ratio > 0 ? (dollars: number) => onDollars(row, part, withoutGroup(dollars, ratio)) : undefined;
  const at = (dollars: number | undefined) => (dollars === undefined ? undefined : inGroup(dollars, ratio));
  const label = (name: string) =>
    isBase
      ? t('priceOf', { model: row.model, column: name })
      : t('dollarsOf', { model: row.model, column: name, group });
  /** On a phone a group has no head above its columns. */
  const nameOf = (column: string) => (isBase ? column : `${group} ${column}`);
  if (billing !== 'usage') {
    return (
      <DollarCell
        label={label(t(billing))}
        name={nameOf(t(billing))}
        value={at(price && 'call' in price ? price.call : undefined)}
        before={at(old && 'call' in old ? old.call : undefined)}
        first
        isBase={isBase}
        narrow={narrow}
        per={billing}
        onChange={typed('call')}
      />
    );
  }
  const now = price && 'input' in price ? price : undefined;
  const stored = old && 'input' in old ? old : undefined;
  return (
    <>
      <DollarCell
        label={label(t('input'))}
        name={nameOf(t('input'))}
        value={at(now?.input)}
        before={at(stored?.input)}
        first
        isBase={isBase}
        onChange={typed('input')}
      />
      <DollarCell
        label={label(t('output'))}
        name={nameOf(t('output'))}
        value={at(now?.output)}
        before={at(stored?.output)}
        isBase={isBase}
        onChange={typed('output')}
      />
    </>
  );
}
