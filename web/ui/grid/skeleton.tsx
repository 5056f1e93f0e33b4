/** The first load: posts and bars in the real column geometry, so nothing jumps when the rows arrive. */
import type { GridColumn, SkeletonShape } from './types.ts';
import cardsClasses from './cards.module.css';
import classes from './grid.module.css';

// Uneven widths: a column of equal bars looks like a broken table.
const WIDTHS = [62, 44, 71, 53, 38, 66, 48, 57];

function Shape({ shape, index }: { shape: SkeletonShape; index: number }) {
  if (shape === 'none') return null;
  const width = WIDTHS[index % WIDTHS.length] ?? 50;
  return (
    <span
      className={classes.bone}
      data-shape={shape}
      style={{ width: `${shape === 'bar' ? 80 : shape === 'posts' ? 100 : width}%` }}
    />
  );
}

interface SkeletonRowsProps<Row> {
  columns: readonly GridColumn<Row>[];
  count: number;
  selectable: boolean;
}

export function SkeletonRows<Row>({ columns, count, selectable }: SkeletonRowsProps<Row>) {
  return Array.from({ length: count }, (_, row) => (
    <tr key={row} className={classes.row} aria-hidden>
      {selectable ? <td className={`cut ${classes.cell}`} /> : null}
      {columns.map((column, index) => (
        <td key={column.id} className={`cut ${classes.cell}`} data-align={column.align}>
          <Shape
            shape={column.skeleton ?? (column.align === 'right' ? 'number' : 'text')}
            index={row * 3 + index}
          />
        </td>
      ))}
    </tr>
  ));
}

export function SkeletonCards({ count }: { count: number }) {
  return (
    <div aria-hidden>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={`stack6 relative ${cardsClasses.card}`}>
          <Shape shape="text" index={index} />
          <Shape shape="text" index={index + 3} />
          <Shape shape="bar" index={index} />
        </div>
      ))}
    </div>
  );
}
