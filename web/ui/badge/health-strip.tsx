/** How the hours of a day went, as posts on whole pixels. */
import classes from './badge.module.css';

export type Health = 'healthy' | 'degraded' | 'failing' | 'idle';

/** 24 bars: failing hours are red and taller, so colour is not the only sign. */
export function HealthStrip({ hours, label }: { hours: readonly Health[]; label: string }) {
  return (
    <svg width={hours.length * 5 - 2} height={16} role="img" aria-label={label} className={classes.svg}>
      {hours.map((health, index) => {
        const x = index * 5;
        if (health === 'idle')
          return <rect key={x} x={x} y={14} width={3} height={2} fill="var(--bar-empty)" />;
        if (health === 'failing')
          return <rect key={x} x={x} y={0} width={3} height={16} fill="var(--danger-mark)" />;
        return (
          <g key={x}>
            <rect x={x} y={4} width={3} height={12} fill="var(--post-healthy)" />
            {health === 'degraded' ? (
              <rect x={x} y={10} width={3} height={6} fill="var(--warning-mark)" />
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
