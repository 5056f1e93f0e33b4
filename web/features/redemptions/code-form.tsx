/** The form of codes in its drawer: a new batch, or one unused code. */
import { NumberInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  REDEMPTION_BATCH_MAX,
  REDEMPTION_NAME_MAX,
  REDEMPTION_PRESETS_DOLLARS,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { unixSeconds } from '#contract/time.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Secret } from '#web/ui/copy/secret.tsx';
import { FormDrawer } from '#web/ui/drawer/form-drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { moneyToQuota, renderQuota } from '#web/ui/format/number.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { ExpiryField } from '#web/ui/input/expiry-field.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { sentencesOf, useForm } from '#web/ui/input/use-form.ts';
import type { CodeRow } from './files.ts';
import { REDEMPTIONS_KEY } from './queries.ts';
import layout from '#web/ui/input/form.module.css';
import classes from './redemptions.module.css';
import { bodyOf, formValues, problemsOf, type CodeFormValues, type Problem } from './values.ts';

const COUNT_PRESETS = [1, 10, 50, 100] as const;

interface CodeFormProps {
  /** Undefined: new codes. */
  code: RedemptionView | undefined;
  onClose: () => void;
  onCreated: (codes: readonly CodeRow[]) => void;
}

export function CodeForm({ code, onClose, onCreated }: CodeFormProps) {
  const { t } = useTranslation('redemptions');
  const display = useDisplay();
  // The form saves its difference to this copy: a refetch of the code must not change what is saved.
  const [loaded] = useState(code);
  const sentence: Record<Problem, string> = {
    nameTooLong: t('error.nameTooLong', { max: REDEMPTION_NAME_MAX }),
    quota: t('error.quota'),
    count: t('error.count', { max: REDEMPTION_BATCH_MAX }),
    expiryFormat: t('error.expiryFormat'),
    expiryPast: t('error.expiryPast'),
  };
  const finish = useWhileShown((created: CodeRow[]) => {
    if (loaded) onClose();
    else onCreated(created);
  });
  const form = useForm<CodeFormValues, CodeRow[]>({
    begin: () => formValues(loaded),
    problemsOf: (values, initial) =>
      sentencesOf(problemsOf(values, initial, unixSeconds()), (problem) => sentence[problem]),
    checksOnLeave: 'always',
    aliases: { expired_time: 'expiry' },
    draft: { name: `redemption:${loaded?.id ?? 'new'}` },
    send: async (values, { initial, base }) => {
      const body = bodyOf(values);
      if (loaded) {
        const based_on = baseOf({ view: loaded, initial: bodyOf(initial), base: bodyOf(base) });
        await saveOnBase({
          body: { id: loaded.id, ...body, based_on },
          send: (sent) => api.redemptions.change({ query: {}, body: sent }),
          labelOf: (field) =>
            field === 'expired_time' ? t('form.expires') : t(field === 'quota' ? 'form.quota' : 'form.name'),
        });
        return [];
      }
      const keys = await api.redemptions.create({ body: { ...body, count: values.count } });
      const { quota, expired_time } = body;
      const name = body.name || renderQuota(quota, display);
      return keys.map((key) => ({ key, name, quota, expired_time }));
    },
    onSent: (created) => {
      toast.success(loaded ? t('message.updated') : t('message.created'));
      finish(created);
    },
    refresh: [REDEMPTIONS_KEY],
  });
  const { count, quota } = form.values;
  const createLabel = count > 1 ? t('form.createMany', { count }) : t('form.create');
  return (
    <FormDrawer
      title={loaded ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        loaded ? (
          <>
            <Tag>#{loaded.id}</Tag>
            <Secret value={loaded.key} label={t('form.code')} />
          </>
        ) : undefined
      }
      createLabel={loaded ? undefined : createLabel}
      form={form}
      onClose={onClose}
    >
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('form.name')} {...form.row('name')} hint={t('form.nameHint')}>
          <TextInput
            {...form.control('name')}
            data-autofocus
            placeholder={renderQuota(quota, display)}
            autoComplete="off"
          />
        </Field>
        <Field label={t('form.quota')} htmlFor={form.idOf('quota')}>
          <QuotaInput {...form.field('quota')} label={t('form.quota')} />
          <div className="top8">
            <QuickPicks
              label={t('form.quotaPicks')}
              picks={REDEMPTION_PRESETS_DOLLARS.map((dollars) => ({ label: `$${dollars}`, value: dollars }))}
              onPick={(dollars) => form.set('quota', moneyToQuota(dollars, display))}
            />
          </div>
        </Field>
        {loaded ? null : (
          <Field label={t('form.count')} {...form.row('count')}>
            <div className={layout.withPicks}>
              <NumberInput
                {...form.number('count')}
                min={1}
                max={REDEMPTION_BATCH_MAX}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
              />
              <QuickPicks
                label={t('form.countPicks')}
                picks={COUNT_PRESETS.map((preset) => ({ label: String(preset), value: preset }))}
                onPick={(preset) => form.set('count', preset)}
              />
            </div>
          </Field>
        )}
        <ExpiryField {...form.field('expiry')} label={t('form.expires')} />
        {!loaded && count >= 1 && count <= REDEMPTION_BATCH_MAX ? (
          <p className={`note ${classes.total}`}>
            {t('form.total', { amount: renderQuota(quota * count, display), count })}
          </p>
        ) : null}
      </div>
    </FormDrawer>
  );
}
