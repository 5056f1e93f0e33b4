/** When something ends: typed, picked from a calendar, or one of the quick picks. The value is the text; empty means never. */
import { ActionIcon, Popover, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import { unixSeconds } from '#contract/time.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime, parseTime, relativeTime } from '#web/ui/format/time.ts';
import { QuickPicks } from './chips.tsx';
import { Field } from './field.tsx';
import classes from './form.module.css';

// The calendar is as large as the rest of the page; most people use the picks.
const Calendar = lazy(() => import('./calendar.tsx'));

const PICK_SECONDS = { never: 0, hour: 3_600, day: 86_400, month: 30 * 86_400 } as const;
const PICKS = Object.keys(PICK_SECONDS) as (keyof typeof PICK_SECONDS)[];

interface ExpiryFieldProps {
  id: string;
  label: string;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
  onBlur: (() => void) | undefined;
}

export function ExpiryField({ id, label, value, error, onChange, onBlur }: ExpiryFieldProps) {
  const { t, i18n } = useTranslation('ui');
  const now = useNow();
  const [open, setOpen] = useState(false);
  const isNever = value.trim() === '';
  const time = isNever ? undefined : parseTime(value);
  const fact = isNever
    ? t('expiry.never')
    : time === undefined
      ? undefined
      : relativeTime(time, now, languageOf(i18n.language));
  return (
    <Field label={label} htmlFor={id} fact={fact} error={error}>
      <div className={classes.withPicks}>
        <TextInput
          id={id}
          value={value}
          placeholder={t('expiry.never')}
          title={t('expiry.format')}
          autoComplete="off"
          error={Boolean(error)}
          onChange={(event) => onChange(event.currentTarget.value)}
          onBlur={onBlur}
          leftSection={
            <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal>
              <Popover.Target>
                <ActionIcon size={24} aria-label={t('expiry.openCalendar')} onClick={() => setOpen(!open)}>
                  <IconCalendar size={15} stroke={1.6} />
                </ActionIcon>
              </Popover.Target>
              <Popover.Dropdown aria-label={t('expiry.openCalendar')}>
                <Suspense fallback={<PostLoader />}>
                  <Calendar
                    time={time ?? unixSeconds() + PICK_SECONDS.day}
                    onChange={(next) => onChange(absoluteTime(next))}
                  />
                </Suspense>
              </Popover.Dropdown>
            </Popover>
          }
        />
        <QuickPicks
          label={t('expiry.picks')}
          picks={PICKS.map((pick) => ({ label: t(`expiry.pick.${pick}`), value: pick }))}
          onPick={(pick) =>
            onChange(pick === 'never' ? '' : absoluteTime(unixSeconds() + PICK_SECONDS[pick]))
          }
        />
      </div>
    </Field>
  );
}
