/** Day and time of day, in a separate chunk. */
import '@mantine/dates/styles.layer.css';
import { DatePicker, TimePicker } from '@mantine/dates';
import { useTranslation } from 'react-i18next';
import 'dayjs/locale/zh-cn';
import { languageOf } from '#contract/language.ts';
import { unixSeconds } from '#contract/time.ts';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';

interface CalendarProps {
  /** Unix seconds. */
  time: number;
  onChange: (time: number) => void;
}

export default function Calendar({ time, onChange }: CalendarProps) {
  const { t, i18n } = useTranslation('ui');
  const [day = '', clock = ''] = absoluteTime(time).split(' ');
  const change = (nextDay: string, nextClock: string) => {
    const next = parseTime(`${nextDay} ${nextClock}`);
    if (next !== undefined) onChange(next);
  };
  return (
    <div className="stack12">
      <DatePicker
        aria-label={t('expiry.date')}
        locale={languageOf(i18n.language) === 'zh' ? 'zh-cn' : 'en'}
        firstDayOfWeek={1}
        weekendDays={[]}
        hideOutsideDates
        size="xs"
        ariaLabels={{
          previousMonth: t('expiry.words.previous'),
          nextMonth: t('expiry.words.next'),
          previousYear: t('expiry.words.previous'),
          nextYear: t('expiry.words.next'),
          previousDecade: t('expiry.words.previous'),
          nextDecade: t('expiry.words.next'),
        }}
        value={day}
        defaultDate={day}
        minDate={absoluteTime(unixSeconds()).slice(0, 10)}
        onChange={(next) => {
          if (next) change(next.slice(0, 10), clock);
        }}
      />
      <TimePicker
        label={t('expiry.time')}
        withSeconds
        hoursInputLabel={t('expiry.words.hours')}
        minutesInputLabel={t('expiry.words.minutes')}
        secondsInputLabel={t('expiry.words.seconds')}
        value={clock}
        onChange={(next) => {
          if (next) change(day, next);
        }}
      />
    </div>
  );
}
