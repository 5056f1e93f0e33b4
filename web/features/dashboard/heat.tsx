/** Requests by weekday and hour: one hue at five strengths, with its scale. A cell opens its newest hour in the log. */
import { Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { siteTime } from '#contract/site-day.ts';
import { renderNumber } from '#web/ui/format/number.ts';
import type { Heat } from './figures.ts';
import type { LogFilter } from './log-filter.ts';
import classes from './heat.module.css';

const DAYS = [1, 2, 3, 4, 5, 6, 0] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Named below the map, each at the left edge of its column. */
const MARKED_HOURS = [0, 6, 12, 18];
const STEPS = 5;

function strength(count: number, highest: number): number {
  return count === 0 ? 0 : Math.max(1, Math.ceil((count / highest) * STEPS));
}

interface HeatMapProps {
  heat: Heat;
  zone: string;
  filter: LogFilter;
}

export function HeatMap({ heat, zone, filter }: HeatMapProps) {
  const { t } = useTranslation('dashboard');
  const highest = Math.max(...heat.flat().map(({ count }) => count), 0);
  return (
    <div className={classes.heat}>
      <table>
        <tbody>
          {DAYS.map((day) => (
            <tr key={day}>
              <th scope="row">{t(`weekday.d${day}`)}</th>
              {HOURS.map((hour) => {
                const { count = 0, newest: from } = heat[day]?.[hour] ?? {};
                if (count === 0 || from === undefined) return <td key={hour} data-strength={0} />;
                const words = t('heatCell', { day: t(`weekday.d${day}`), hour, count });
                const label = t('heatOpen', { cell: words, time: siteTime(zone, from).slice(5) });
                return (
                  <td key={hour} data-strength={strength(count, highest)}>
                    <Tooltip label={label}>
                      <Link to="/log" search={{ ...filter, from, to: from + 3599 }} aria-label={label} />
                    </Tooltip>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
        <tfoot aria-hidden>
          <tr>
            <td />
            {MARKED_HOURS.map((hour) => (
              <td key={hour} colSpan={HOURS.length / MARKED_HOURS.length}>
                {String(hour).padStart(2, '0')}:00
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
      <p className={`row tiny ${classes.scale}`}>
        0
        {[1, 2, 3, 4, 5].map((step) => (
          <i key={step} data-strength={step} aria-hidden />
        ))}
        {renderNumber(highest)}
      </p>
    </div>
  );
}
