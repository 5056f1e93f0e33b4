/** The options that the sheet has no columns for, each as JSON. */
import { Select, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SheetForm } from '#web/ui/sheet/price-sheet.tsx';
import { TEXT_OPTIONS, type OptionName } from './options.ts';
import classes from './price-book.module.css';

export function OtherOptions({ form, bad }: { form: SheetForm; bad: readonly OptionName[] }) {
  const { t } = useTranslation('price-book');
  const [chosen, setChosen] = useState<OptionName>('PriceRules');
  return (
    <section className={`stack8 ${classes.block}`}>
      <h3>{t('draft.other')}</h3>
      <p className={classes.dim}>{t('draft.otherHelp')}</p>
      <Select
        className={classes.select}
        label={t('draft.option')}
        data={TEXT_OPTIONS.map((value) => ({ value, label: t(`option.${value}`) }))}
        value={chosen}
        allowDeselect={false}
        onChange={(value) => setChosen(TEXT_OPTIONS.find((name) => name === value) ?? 'PriceRules')}
      />
      <Textarea
        aria-label={t(`option.${chosen}`)}
        classNames={{ input: classes.mono }}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        value={form.text(chosen)}
        error={bad.includes(chosen) ? t('draft.notJson') : undefined}
        onChange={(event) => form.set({ [chosen]: event.currentTarget.value })}
      />
    </section>
  );
}
