/** When a token ends: typed, picked from a calendar, or one of the quick picks. */
import { ActionIcon, Popover, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { languageOf } from '#contract/language.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { useNow } from '#web/ui/format/moment.tsx';
import { absoluteTime, nowSeconds, relativeTime } from '#web/ui/format/time.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { Field } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';
import { expiryTime } from './values.ts';
import classes from './form.module.css';

// The calendar is as large as the rest of the page; most people use the picks.
const Calendar = lazy(() => import('./calendar.tsx'));

export const EXPIRY_FIELD_ID = 'token-expired_time';

const PICK_SECONDS = { never: 0, hour: 3_600, day: 86_400, month: 30 * 86_400 } as const;
const PICKS = Object.keys(PICK_SECONDS) as (keyof typeof PICK_SECONDS)[];

export function ExpiryField({ form }: { form: TokenForm }) {
  const { t, i18n } = useTranslation('tokens');
  const now = useNow();
  const [open, setOpen] = useState(false);
  const time = expiryTime(form.values.expiry);
  const fact =
    time === undefined
      ? undefined
      : time === -1
        ? t('never')
        : relativeTime(time, now, languageOf(i18n.language));
  return (
    <Field label={t('form.expires')} htmlFor={EXPIRY_FIELD_ID} fact={fact} error={form.errorOf('expiry')}>
      <div className={classes.withPicks}>
        <TextInput
          id={EXPIRY_FIELD_ID}
          value={form.values.expiry}
          placeholder={t('form.expiresPlaceholder')}
          title={t('form.expiresFormat')}
          autoComplete="off"
          error={Boolean(form.errorOf('expiry'))}
          onChange={(event) => form.set('expiry', event.currentTarget.value)}
          onBlur={() => form.leave('expiry')}
          leftSection={
            <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal>
              <Popover.Target>
                <ActionIcon size={24} aria-label={t('form.openCalendar')} onClick={() => setOpen(!open)}>
                  <IconCalendar size={15} stroke={1.6} />
                </ActionIcon>
              </Popover.Target>
              <Popover.Dropdown aria-label={t('form.openCalendar')}>
                <Suspense fallback={<PostLoader />}>
                  <Calendar
                    time={time === undefined || time === -1 ? nowSeconds() + PICK_SECONDS.day : time}
                    onChange={(next) => form.set('expiry', absoluteTime(next))}
                  />
                </Suspense>
              </Popover.Dropdown>
            </Popover>
          }
        />
        <QuickPicks
          label={t('form.pick.label')}
          picks={PICKS.map((pick) => ({ label: t(`form.pick.${pick}`), value: pick }))}
          onPick={(pick) =>
            form.set('expiry', pick === 'never' ? '' : absoluteTime(nowSeconds() + PICK_SECONDS[pick]))
          }
        />
      </div>
    </Field>
  );
}
