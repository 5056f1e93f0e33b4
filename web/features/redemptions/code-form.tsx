/** The form of codes in its drawer: a new batch, or one unused code. */
import { Button, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  REDEMPTION_BATCH_MAX,
  REDEMPTION_NAME_MAX,
  REDEMPTION_PRESETS_DOLLARS,
  type RedemptionView,
} from '#contract/money/redemptions.ts';
import { api } from '#web/api.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { Secret } from '#web/ui/copy/secret.tsx';
import { Drawer, DrawerFoot } from '#web/ui/drawer/drawer.tsx';
import { useWhileShown } from '#web/ui/drawer/use-while-shown.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { moneyToQuota, renderQuota } from '#web/ui/format/number.ts';
import { nowSeconds } from '#web/ui/format/time.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { ExpiryField } from '#web/ui/input/expiry-field.tsx';
import { Field } from '#web/ui/input/field.tsx';
import { QuotaInput } from '#web/ui/input/quota-input.tsx';
import { useFields } from '#web/ui/input/use-fields.ts';
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
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const display = useDisplay();
  // The form saves its difference to this copy: a refetch of the code must not change what is saved.
  const [loaded] = useState(code);
  const [nameId, quotaId, countId, expiryId] = [useId(), useId(), useId(), useId()];
  const sentence: Record<Problem, string> = {
    nameTooLong: t('error.nameTooLong', { max: REDEMPTION_NAME_MAX }),
    quota: t('error.quota'),
    count: t('error.count', { max: REDEMPTION_BATCH_MAX }),
    expiryFormat: t('error.expiryFormat'),
    expiryPast: t('error.expiryPast'),
  };
  const form = useFields<CodeFormValues, Problem>({
    begin: () => formValues(loaded),
    problemsOf: (values, initial) => problemsOf(values, initial, nowSeconds()),
    sentenceOf: (problem) => sentence[problem],
    aliases: { expired_time: 'expiry' },
    draft: { name: `redemption:${loaded?.id ?? 'new'}` },
  });
  const { count, quota } = form.values;
  const { changed } = form;

  const finish = useWhileShown((created: CodeRow[]) => {
    if (loaded) onClose();
    else onCreated(created);
  });
  const save = useMutation({
    ...form.refusal.mutation,
    mutationFn: async (): Promise<CodeRow[]> => {
      const body = bodyOf(form.values);
      if (loaded) {
        const based_on = baseOf({ view: loaded, initial: bodyOf(form.initial), base: bodyOf(form.base) });
        await saveOnBase({
          body: { id: loaded.id, ...body, based_on },
          send: (sent) => api.redemptions.change({ query: {}, body: sent }),
          labelOf: (field) =>
            field === 'expired_time' ? t('form.expires') : t(field === 'quota' ? 'form.quota' : 'form.name'),
        });
        return [];
      }
      const keys = await api.redemptions.create({ body: { ...body, count } });
      const name = body.name || renderQuota(quota, display);
      return keys.map((key) => ({ key, name, quota, expired_time: body.expired_time }));
    },
    onSuccess: (created) => {
      form.unsaved.end();
      void client.invalidateQueries({ queryKey: REDEMPTIONS_KEY });
      toast.success(loaded ? t('message.updated') : t('message.created'));
      finish(created);
    },
  });

  return (
    <Drawer
      title={loaded ? t('form.editTitle') : t('form.createTitle')}
      subtitle={
        loaded ? (
          <>
            <Tag>#{loaded.id}</Tag>
            <Secret value={loaded.key} label={t('form.code')} />
          </>
        ) : undefined
      }
      onClose={onClose}
      onSubmit={() => {
        if (form.check() && !save.isPending) save.mutate();
      }}
      form={form}
      footer={
        <DrawerFoot changed={loaded ? changed : 0} problems={form.shownProblems} refusal={form.refusal}>
          <Button type="submit" loading={save.isPending} disabled={loaded ? changed === 0 : false}>
            {loaded ? ui('action.save') : count > 1 ? t('form.createMany', { count }) : t('form.create')}
          </Button>
          <Button variant="default" onClick={onClose}>
            {ui('action.cancel')}
          </Button>
        </DrawerFoot>
      }
    >
      <div className={`stack12 ${layout.stack}`}>
        <Field label={t('form.name')} htmlFor={nameId} hint={t('form.nameHint')} error={form.errorOf('name')}>
          <TextInput
            id={nameId}
            data-autofocus
            value={form.values.name}
            placeholder={renderQuota(quota, display)}
            autoComplete="off"
            error={Boolean(form.errorOf('name'))}
            onChange={(event) => form.set('name', event.currentTarget.value)}
            onBlur={() => form.leave('name')}
          />
        </Field>
        <Field label={t('form.quota')} htmlFor={quotaId}>
          <QuotaInput
            id={quotaId}
            label={t('form.quota')}
            quota={quota}
            error={form.errorOf('quota')}
            onChange={(next) => form.set('quota', next)}
          />
          <div className="top8">
            <QuickPicks
              label={t('form.quotaPicks')}
              picks={REDEMPTION_PRESETS_DOLLARS.map((dollars) => ({ label: `$${dollars}`, value: dollars }))}
              onPick={(dollars) => form.set('quota', moneyToQuota(dollars, display))}
            />
          </div>
        </Field>
        {loaded ? null : (
          <Field label={t('form.count')} htmlFor={countId} error={form.errorOf('count')}>
            <div className={layout.withPicks}>
              <NumberInput
                id={countId}
                value={Number.isNaN(count) ? '' : count}
                min={1}
                max={REDEMPTION_BATCH_MAX}
                clampBehavior="none"
                allowDecimal={false}
                allowNegative={false}
                error={Boolean(form.errorOf('count'))}
                onChange={(value) => form.set('count', value === '' ? Number.NaN : Number(value))}
                onBlur={() => form.leave('count')}
              />
              <QuickPicks
                label={t('form.countPicks')}
                picks={COUNT_PRESETS.map((preset) => ({ label: String(preset), value: preset }))}
                onPick={(preset) => form.set('count', preset)}
              />
            </div>
          </Field>
        )}
        <ExpiryField
          id={expiryId}
          label={t('form.expires')}
          value={form.values.expiry}
          error={form.errorOf('expiry')}
          onChange={(text) => form.set('expiry', text)}
          onLeave={() => form.leave('expiry')}
        />
        {!loaded && count >= 1 && count <= REDEMPTION_BATCH_MAX ? (
          <p className={`note ${classes.total}`}>
            {t('form.total', { amount: renderQuota(quota * count, display), count })}
          </p>
        ) : null}
      </div>
    </Drawer>
  );
}
