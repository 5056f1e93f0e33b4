/** How many tokens to create, with a preview of their names. */
import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TOKEN_BATCH_MAX, TOKEN_BATCH_PRESETS, TOKEN_SUFFIX_LENGTH } from '#contract/admin/tokens.ts';
import { batchTokenName } from '#contract/admin/token-names.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import type { TokenForm } from './use-token-form.ts';
import classes from './form.module.css';

const PREVIEWED = 3;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The suffixes of the previewed names; the tokens are created with them, and the server chooses those of the others. */
export function previewSuffixes(): string[] {
  const suffixes = new Set<string>();
  while (suffixes.size < PREVIEWED - 1) suffixes.add(randomSuffix());
  return [...suffixes];
}

function randomSuffix(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(TOKEN_SUFFIX_LENGTH)), (byte) =>
    LETTERS.charAt(byte % LETTERS.length),
  ).join('');
}

export function BatchField({ form, suffixes }: { form: TokenForm; suffixes: readonly string[] }) {
  const { t } = useTranslation('tokens');
  const { count } = form.values;
  const name = form.values.name.trim() || t('form.name');
  const names = [name, ...suffixes.map((suffix) => batchTokenName(name, suffix))].slice(0, count);
  return (
    <Field label={t('form.count')} {...form.row('count')}>
      <div className={layout.withPicks}>
        <NumberInput
          {...form.number('count')}
          min={1}
          max={TOKEN_BATCH_MAX}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
        />
        <QuickPicks
          label={t('form.countPicks')}
          picks={TOKEN_BATCH_PRESETS.map((preset) => ({ label: String(preset), value: preset }))}
          onPick={(preset) => form.set('count', preset)}
        />
      </div>
      {count > 1 && count <= TOKEN_BATCH_MAX ? (
        <p className={classes.preview}>
          <span>{t('form.preview')}</span>
          {names.map((preview) => (
            <code key={preview}>{preview}</code>
          ))}
          {count > PREVIEWED ? <span>{t('form.previewMore', { count })}</span> : null}
        </p>
      ) : null}
    </Field>
  );
}
