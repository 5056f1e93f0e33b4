/** Rows on the phone: two-line cards rendered by the page. */
import type { ReactNode } from 'react';
import classes from './cards.module.css';

interface GridCardsProps<Row> {
  rows: readonly Row[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  card: (row: Row) => ReactNode;
  isMuted?: (row: Row) => boolean;
  onOpen?: (row: Row) => void;
  openRowId?: string;
  label: string;
}

export function GridCards<Row>(props: GridCardsProps<Row>) {
  const { rows, rowId, rowName, card, onOpen } = props;
  return (
    <ul aria-label={props.label}>
      {rows.map((row) => (
        <li
          key={rowId(row)}
          className={`stack6 relative ${classes.card}`}
          data-open={rowId(row) === props.openRowId || undefined}
          data-muted={props.isMuted?.(row) || undefined}
        >
          {card(row)}
          {onOpen ? (
            <button type="button" className={classes.cardTarget} onClick={() => onOpen(row)}>
              <span className="hidden">{rowName(row)}</span>
            </button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
