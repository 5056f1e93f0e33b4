/** Day and time of day, in a separate chunk. */
import '@mantine/dates/styles.layer.css';
import { DatePicker, TimePicker } from '@mantine/dates';
import { useTranslation } from 'react-i18next';
import 'dayjs/locale/zh-cn';
import { languageOf } from '#contract/language.ts';
import { absoluteTime, nowSeconds, parseTime } from '#web/ui/format/time.ts';
import layout from '#web/ui/input/form.module.css';

interface CalendarProps {
  /** Unix seconds. */
  time: number;
  onChange: (time: number) => void;
}

export default function Calendar({ time, onChange }: CalendarProps) {
  const { t, i18n } = useTranslation('tokens');
  const [day = '', clock = ''] = absoluteTime(time).split(' ');
  const change = (nextDay: string, nextClock: string) => {
    const next = parseTime(`${nextDay} ${nextClock}`);
    if (next !== undefined) onChange(next);
  };
  return (
    <div className={layout.column}>
      <DatePicker
        aria-label={t('form.calendar')}
        locale={languageOf(i18n.language) === 'zh' ? 'zh-cn' : 'en'}
        firstDayOfWeek={1}
        weekendDays={[]}
        hideOutsideDates
        size="xs"
        ariaLabels={{
          previousMonth: t('form.calendarWords.previous'),
          nextMonth: t('form.calendarWords.next'),
          previousYear: t('form.calendarWords.previous'),
          nextYear: t('form.calendarWords.next'),
          previousDecade: t('form.calendarWords.previous'),
          nextDecade: t('form.calendarWords.next'),
        }}
        value={day}
        defaultDate={day}
        minDate={absoluteTime(nowSeconds()).slice(0, 10)}
        onChange={(next) => {
          if (next) change(next.slice(0, 10), clock);
        }}
      />
      <TimePicker
        label={t('form.calendarTime')}
        withSeconds
        hoursInputLabel={t('form.calendarWords.hours')}
        minutesInputLabel={t('form.calendarWords.minutes')}
        secondsInputLabel={t('form.calendarWords.seconds')}
        value={clock}
        onChange={(next) => {
          if (next) change(day, next);
        }}
      />
    </div>
  );
}
