/** The fields of a buy price; the value is its JSON text. */
import { NumberInput, Select, Textarea, UnstyledButton } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { BUY_PRICE_KINDS, fieldsOf, startOf, textOf, type BuyPriceFields } from './buy-price.ts';
import classes from './form.module.css';

const TEMPLATE = JSON.stringify({ 'gpt-4o': { input: 1.8, output: 7.2, cacheRead: 0.9 } }, null, 2);

interface BuyPriceEditorProps {
  value: string;
  onChange: (text: string) => void;
  /** What an empty value means. */
  none: string;
  label: string;
  hint?: string;
  error?: string | undefined;
}

export function BuyPriceEditor({ value, onChange, none, label, hint, error }: BuyPriceEditorProps) {
  const { t } = useTranslation('channels');
  const kindId = useId();
  const modelsId = useId();
  const fields = fieldsOf(value);
  const set = (change: Partial<BuyPriceFields>) => {
    if (fields) onChange(textOf({ ...fields, ...change }));
  };
  const number = (
    name: 'multiplier' | 'monthly_fee' | 'recharge_rate' | 'batch_ratio',
    text: { label: string; hint?: string },
  ) => (
    <NumberField
      key={name}
      label={text.label}
      hint={text.hint}
      value={fields?.[name] ?? 0}
      onChange={(next) => set({ [name]: next })}
    />
  );
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field label={label} htmlFor={kindId} hint={hint} error={error}>
        <Select
          id={kindId}
          allowDeselect={false}
          error={Boolean(error)}
          data={[
            { value: '', label: none },
            ...BUY_PRICE_KINDS.map((kind) => ({ value: kind, label: t(`costs.kind.${kind}`) })),
          ]}
          value={fields?.kind ?? ''}
          onChange={(next) => {
            const kind = BUY_PRICE_KINDS.find((known) => known === next);
            onChange(kind === undefined ? '' : textOf(startOf(kind)));
          }}
        />
      </Field>
      {fields?.kind === 'table' ? (
        <Field
          label={t('costs.models')}
          htmlFor={modelsId}
          hint={t('costs.modelsHint')}
          fact={
            <UnstyledButton className={layout.tallLink} onClick={() => set({ models: TEMPLATE })}>
              {t('costs.template')}
            </UnstyledButton>
          }
        >
          <Textarea
            id={modelsId}
            autosize
            minRows={3}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: classes.code }}
            defaultValue={fields.models}
            key={fields.models === TEMPLATE ? 'template' : 'own'}
            placeholder={TEMPLATE}
            onBlur={(event) => set({ models: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      {fields ? (
        <div className={classes.triple}>
          {fields.kind === 'plan' ? number('monthly_fee', { label: t('costs.monthlyFee') }) : null}
          {fields.kind === 'table'
            ? null
            : number('multiplier', {
                label: t('costs.multiplier'),
                hint: fields.kind === 'plan' ? t('costs.planMultiplierHint') : t('costs.multiplierHint'),
              })}
          {number('recharge_rate', { label: t('costs.rechargeRate'), hint: t('costs.rechargeRateHint') })}
          {number('batch_ratio', { label: t('costs.batchRatio') })}
        </div>
      ) : null}
    </div>
  );
}

interface NumberFieldProps {
  label: string;
  hint?: string | undefined;
  value: number;
  onChange: (value: number) => void;
}

function NumberField({ label, hint, value, onChange }: NumberFieldProps) {
  const id = useId();
  return (
    <Field label={label} htmlFor={id} hint={hint}>
      <NumberInput
        id={id}
        min={0}
        max={1_000_000}
        decimalScale={6}
        value={value}
        onChange={(next) => onChange(Number(next) || 0)}
      />
    </Field>
  );
}
