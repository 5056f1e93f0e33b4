/** The time of the dashboard: the last days, a month, or days that the reader names. */
import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { addDays } from '#contract/site-day.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { useFields } from '#web/ui/input/use-form.ts';
import { areSiteDays, type SiteDays } from './figures.ts';
import { DAY_CHOICES, MONTHS, type DashboardSearch } from './search.ts';
import classes from './dashboard.module.css';

const CUSTOM = 'custom';
const CHOSEN = 'chosen';

interface RangeSelectProps {
  search: DashboardSearch;
  lastDays: number;
  custom: SiteDays | undefined;
  /** The day of the site that it is. */
  today: string;
  /** Days that the server sums. */
  most: number;
  onChange: (change: Pick<DashboardSearch, 'days' | 'span' | 'since' | 'until'>) => void;
}

export function RangeSelect({ search, lastDays, custom, today, most, onChange }: RangeSelectProps) {
  const { t } = useTranslation('dashboard');
  const [isOpen, setOpen] = useState(false);
  const short = (day: string) => (day.slice(0, 4) === today.slice(0, 4) ? day.slice(5) : day);
  const chosen = custom
    ? [
        {
          value: CHOSEN,
          label: t('days.between', { since: short(custom.since), until: short(custom.until) }),
        },
      ]
    : [];
  return (
    <>
      <Select
        className={classes.days}
        aria-label={t('days.label')}
        data={[
          ...chosen,
          ...DAY_CHOICES.map((count) => ({ value: String(count), label: t('days.last', { count }) })),
          ...MONTHS.map((value) => ({ value, label: t(`days.${value}`) })),
          { value: CUSTOM, label: t('days.custom') },
        ]}
        value={custom ? CHOSEN : (search.span ?? String(lastDays))}
        allowDeselect={false}
        onChange={(value) => {
          if (value === CUSTOM) setOpen(true);
          else if (value !== CHOSEN)
            onChange({
              days: DAY_CHOICES.find((count) => String(count) === value),
              span: MONTHS.find((month) => month === value),
              since: undefined,
              until: undefined,
            });
        }}
      />
      {isOpen ? (
        <DaysDialog
          begin={custom ?? { since: addDays(today, -6), until: today }}
          today={today}
          most={most}
          onApply={(days) => {
            setOpen(false);
            onChange({ days: undefined, span: undefined, ...days });
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

interface DaysDialogProps {
  begin: SiteDays;
  today: string;
  most: number;
  onApply: (days: SiteDays) => void;
  onClose: () => void;
}

function DaysDialog({ begin, today, most, onApply, onClose }: DaysDialogProps) {
  const { t } = useTranslation('dashboard');
  const { t: ui } = useTranslation('ui');
  const form = useFields<SiteDays>({
    begin: () => begin,
    live: ['since', 'until'],
    problemsOf: (days) => ({
      until: areSiteDays(days, today, most) ? undefined : t('days.wrong', { count: most }),
    }),
  });
  const submit = () => {
    if (form.check()) onApply(form.values);
  };
  return (
    <DialogFrame title={ui('range.title')} unsaved={form.unsaved} onClose={onClose}>
      <FormElement form={{ submit }} className="stack12">
        <TextInput {...form.field('since')} type="date" max={today} label={t('days.since')} data-autofocus />
        <TextInput {...form.field('until')} type="date" max={today} label={t('days.until')} />
        <Button type="submit" disabled={!form.isReady}>
          {ui('range.apply')}
        </Button>
      </FormElement>
    </DialogFrame>
  );
}
