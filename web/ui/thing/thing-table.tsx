/** A small table of a thing's page; on the phone each row is a card with its heads as labels. */
import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface ThingColumn<Row> {
  key: string;
  head: string;
  /** A smaller word behind the head: `7 d`, `/ 1M`. */
  unit?: string;
  /** Numbers stand right. */
  isNumber?: boolean;
  /** On the phone the whole width: a bar, a sentence, buttons. */
  isWide?: boolean;
  cell: (row: Row) => ReactNode;
  /** The cell of the row of sums. */
  foot?: ReactNode;
}

interface ThingTableProps<Row> {
  label: string;
  /** The first one names the row. */
  columns: readonly ThingColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
}

export function ThingTable<Row>({ label, columns, rows, rowKey }: ThingTableProps<Row>) {
  const hasFoot = columns.some(({ foot }) => foot !== undefined);
  return (
    <table className={classes.table}>
      <caption className="hidden">{label}</caption>
      <thead>
        <tr>
          {columns.map(({ key, head, unit, isNumber }) => (
            <th key={key} scope="col" data-number={isNumber || undefined}>
              {head}
              {unit ? <small> {unit}</small> : null}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ key, head, unit, isNumber, isWide, cell }, at) => {
              const props = {
                'data-number': isNumber || undefined,
                'data-wide': isWide || undefined,
                'data-label': unit ? `${head} ${unit}` : head,
              };
              return at === 0 ? (
                <th key={key} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={key} {...props}>
                  {cell(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
      {hasFoot ? (
        <tfoot>
          <tr>
            {columns.map(({ key, head, unit, isNumber, foot }) => (
              <td
                key={key}
                data-number={isNumber || undefined}
                data-label={unit ? `${head} ${unit}` : head}
                data-empty={foot === undefined || undefined}
              >
                {foot}
              </td>
            ))}
          </tr>
        </tfoot>
      ) : null}
    </table>
  );
}
