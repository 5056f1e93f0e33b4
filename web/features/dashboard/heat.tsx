/** Requests by weekday and hour: one hue at five strengths, with its scale. */
import { useTranslation } from 'react-i18next';
import { renderNumber } from '#web/ui/format/number.ts';
import classes from './dashboard.module.css';

const DAYS = [1, 2, 3, 4, 5, 6, 0] as const;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const STEPS = 5;

function strength(count: number, highest: number): number {
  return count === 0 ? 0 : Math.max(1, Math.ceil((count / highest) * STEPS));
}

export function HeatMap({ heat }: { heat: readonly (readonly number[])[] }) {
  const { t } = useTranslation('dashboard');
  const highest = Math.max(...heat.flat(), 0);
  return (
    <div className={classes.heat}>
      <table>
        <tbody>
          {DAYS.map((day) => (
            <tr key={day}>
              <th scope="row">{t(`weekday.d${day}`)}</th>
              {HOURS.map((hour) => {
                const count = heat[day]?.[hour] ?? 0;
                const words = t('heatCell', { day: t(`weekday.d${day}`), hour, count });
                return (
                  <td key={hour} data-strength={strength(count, highest)} title={words}>
                    <span className={classes.hidden}>{count}</span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p className={classes.scale}>
        <span>0:00</span>
        <span>12:00</span>
        <span>23:00</span>
        <span className={classes.steps}>
          0
          {[1, 2, 3, 4, 5].map((step) => (
            <i key={step} data-strength={step} aria-hidden />
          ))}
          {renderNumber(highest)}
        </span>
      </p>
    </div>
  );
}
