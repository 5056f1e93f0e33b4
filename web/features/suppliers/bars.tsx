/** A small histogram with a logarithmic axis: its classes are those of server/suppliers. */
import { useTranslation } from 'react-i18next';
import classes from './suppliers.module.css';

const CLASSES_PER_DOUBLING = 16;
const BARS = 24;

interface BarsProps {
  label: string;
  counts: Readonly<Record<string, number>>;
  /** Digits after the point. */
  digits: number;
}

export function Bars({ label, counts, digits }: BarsProps) {
  const { t } = useTranslation('suppliers');
  const places = Object.entries(counts)
    .map(([place, count]) => [Number(place), count] as const)
    .toSorted(([left], [right]) => left - right);
  const total = places.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0)
    return (
      <figure className={`stack shrink small ${classes.figure}`}>
        <figcaption>{label}</figcaption>
        <p className="muted">{t('detail.none')}</p>
      </figure>
    );
  const first = places[0]?.[0] ?? 0;
  const last = places.at(-1)?.[0] ?? 0;
  const width = Math.max(1, Math.ceil((last - first + 1) / BARS));
  const bars = Array.from({ length: Math.ceil((last - first + 1) / width) }, () => 0);
  for (const [place, count] of places) {
    const at = Math.floor((place - first) / width);
    bars[at] = (bars[at] ?? 0) + count;
  }
  const most = Math.max(...bars);
  const value = (place: number) => (2 ** (place / CLASSES_PER_DOUBLING)).toFixed(digits);
  const median = value(medianOf(places, total));
  return (
    <figure className={`stack shrink small ${classes.figure}`}>
      <figcaption>
        {label} <b>{t('detail.median', { value: median })}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${bars.length * 8} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${t('detail.median', { value: median })}`}
      >
        {bars.map((count, at) => (
          <rect
            key={`${first + at * width}`}
            x={at * 8 + 1}
            width={6}
            y={40 - (38 * count) / most - (count > 0 ? 2 : 0)}
            height={(38 * count) / most + (count > 0 ? 2 : 0)}
          />
        ))}
      </svg>
      <div className="flex between muted">
        <span>{value(first)}</span>
        <span>{value(last)}</span>
      </div>
    </figure>
  );
}

function medianOf(places: readonly (readonly [number, number])[], total: number): number {
  let seen = 0;
  for (const [place, count] of places) {
    seen += count;
    if (seen * 2 >= total) return place;
  }
  return 0;
}
