/** One option as a row: its name and key, the control of its kind, what it does, and a hint or an error. */
import { UnstyledButton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { portForcesTls, type OptionField } from '#contract/options.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { useDescribedBy } from '#web/ui/input/described-by.ts';
import { formatMoney } from '#web/ui/format/number.ts';
import { controlId, rowId } from '#web/features/settings/ids.ts';
import { OptionControl } from './option-control.tsx';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './form.module.css';

/** Whole quota units; the hint shows them as money. */
const QUOTA_KEYS = new Set([
  'QuotaRemindThreshold',
  'QuotaForNewUser',
  'PreConsumedQuota',
  'QuotaForInviter',
  'QuotaForInvitee',
]);

interface OptionRowProps {
  field: OptionField;
  form: OptionsForm;
  /** Replaces the control of the kind. */
  children?: ReactNode;
}

export function OptionRow({ field, form, children }: OptionRowProps) {
  const { key, kind } = field;
  const error = form.errorOf(key);
  const noteId = useId();
  useDescribedBy(controlId(key), error ? `${noteId}-error ${noteId}` : noteId);
  const tall = kind === 'multiline' || children !== undefined;
  const wide = tall || kind === 'json' || kind === 'lines';
  const isNumber = kind === 'integer' || kind === 'number';
  const short = kind === 'toggle' || isNumber;
  return (
    <div
      id={rowId(key)}
      className={classes.row}
      data-changed={form.isChanged(key) || undefined}
      data-wide={wide || undefined}
      data-tall={tall || undefined}
      data-short={short || undefined}
      data-number={isNumber || undefined}
      data-field-error={error ? true : undefined}
    >
      <div className={classes.name}>
        <label htmlFor={controlId(key)}>{field.label[currentLanguage()]}</label>
        <code>{key}</code>
      </div>
      <div className={`stack4 shrink ${classes.control}`}>
        {children ?? <OptionControl field={field} form={form} />}
        <p id={noteId} className={classes.hint}>
          {field.help[currentLanguage()]}
        </p>
        {error ? (
          <p id={`${noteId}-error`} className={classes.error} role="alert">
            {error}
          </p>
        ) : (
          <RowHint field={field} form={form} />
        )}
      </div>
    </div>
  );
}

function RowHint({ field, form }: Pick<OptionRowProps, 'field' | 'form'>) {
  const { t } = useTranslation('settings');
  const { key, kind, min, max } = field;
  if (kind === 'toggle') return <Needs field={field} form={form} />;
  if (QUOTA_KEYS.has(key)) {
    const money = Number(form.text(key)) / Number(form.text('QuotaPerUnit'));
    return Number.isFinite(money) ? (
      <p className={classes.hint}>{t('field.inMoney', { money: formatMoney(money) })}</p>
    ) : null;
  }
  if ((kind === 'integer' || kind === 'number') && min !== undefined) {
    const bounded = max !== undefined && max <= 100_000;
    return (
      <p className={classes.hint}>{bounded ? t('field.range', { min, max }) : t('field.atLeast', { min })}</p>
    );
  }
  if (key === 'Logo') return <LogoPreview address={form.text(key)} label={t('field.preview')} />;
  if (key === 'ServerAddress') return <UseCurrentAddress form={form} />;
  return null;
}

/** The options a switch needs, as links to their fields. */
function Needs({ field, form }: Pick<OptionRowProps, 'field' | 'form'>) {
  const { t } = useTranslation('settings');
  const navigate = useNavigate();
  const missing = field.needs.filter((key) => form.text(key).trim() === '' && form.secrets[key] !== true);
  if (field.key === 'SMTPSSLEnabled' && portForcesTls(form.text('SMTPPort')))
    return <p className={classes.hint}>{t('field.portForcesSsl')}</p>;
  if (missing.length === 0) return null;
  return (
    <p className={classes.hint}>
      {t('field.needs')}
      {missing.map((key) => {
        const section = form.sections.find((candidate) =>
          candidate.fields.some((other) => other.key === key),
        );
        const label = section?.fields.find((other) => other.key === key)?.label[currentLanguage()];
        return (
          <UnstyledButton
            key={key}
            className={`inline4 small ${classes.link}`}
            onClick={() => {
              void navigate({ to: '/setting', search: { tab: section?.tab, section: section?.id } }).then(
                () => document.getElementById(controlId(key))?.focus(),
              );
            }}
          >
            {label}
          </UnstyledButton>
        );
      })}
    </p>
  );
}

/** On both grounds: a mark in one colour may vanish on the other. */
function LogoPreview({ address, label }: { address: string; label: string }) {
  if (address.trim() === '') return null;
  return (
    <span className="row8" role="img" aria-label={label}>
      {(['light', 'dark'] as const).map((ground) => (
        <span key={ground} className={classes.logo} data-ground={ground}>
          <img src={address.trim()} alt="" />
        </span>
      ))}
    </span>
  );
}

function UseCurrentAddress({ form }: { form: OptionsForm }) {
  const { t } = useTranslation('settings');
  const { origin } = window.location;
  if (form.text('ServerAddress').replace(/\/+$/, '') === origin) return null;
  return (
    <UnstyledButton
      className={`inline4 small ${classes.link}`}
      onClick={() => form.set({ ServerAddress: origin })}
    >
      {t('field.useCurrent', { address: origin })}
    </UnstyledButton>
  );
}
