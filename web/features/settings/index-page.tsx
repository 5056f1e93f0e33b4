/** All settings by subject: every section with a line about it, and a search over names, labels and option keys. */
import { TextInput, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { findOptions } from './find/find.ts';
import { SECTION_WORDS, type Section } from './sections.ts';
import { sectionsAbout, SUBJECTS } from './subjects.ts';
import type { OptionsForm } from './use-options.ts';
import classes from './index-page.module.css';

/** Of one section, while something is searched. */
const MOST_OPTIONS = 6;

interface SettingsIndexProps {
  form: OptionsForm;
  onOption: (section: Section, key: string) => void;
}

export function SettingsIndex({ form, onOption }: SettingsIndexProps) {
  const { t } = useTranslation('settings');
  const phone = usePhone();
  const [query, setQuery] = useState('');
  const wanted = query.trim().toLowerCase();
  const shown = SUBJECTS.map((subject) => ({
    subject,
    entries: sectionsAbout(subject).flatMap((id) => {
      const section = form.sections.find((candidate) => candidate.id === id);
      if (!section) return [];
      const words = [t(`section.${id}`), t(`line.${id}`), id, SECTION_WORDS[id] ?? ''];
      const isNamed = words.join(' ').toLowerCase().includes(wanted);
      const found = findOptions(
        section.fields.map((field) => ({ field, section: '' })),
        wanted,
        MOST_OPTIONS,
      );
      return isNamed || found.length > 0 ? [{ section, found }] : [];
    }),
  })).filter(({ entries }) => entries.length > 0);
  const [first] = shown.flatMap(({ entries }) => entries).filter(({ found }) => found.length > 0);
  return (
    <div className={`relative scroll ${classes.index}`}>
      <TextInput
        className={classes.search}
        aria-label={t('find.label')}
        placeholder={t('find.placeholder')}
        leftSection={<IconSearch size={15} stroke={1.6} />}
        value={query}
        autoComplete="off"
        spellCheck={false}
        autoFocus={!phone}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [option] = first?.found ?? [];
          if (event.key === 'Enter' && first && option) onOption(first.section, option.field.key);
        }}
      />
      {shown.map(({ subject, entries }) => (
        <section key={subject} className={classes.subject} aria-labelledby={`subject-${subject}`}>
          <h2 id={`subject-${subject}`}>{t(`subject.${subject}`)}</h2>
          <ul>
            {entries.map(({ section, found }) => (
              <li key={section.id}>
                <SectionLink section={section} form={form} />
                {found.map(({ field: { key, label } }) => (
                  <UnstyledButton
                    key={key}
                    className={classes.option}
                    title={key}
                    onClick={() => onOption(section, key)}
                  >
                    {label[currentLanguage()]}
                  </UnstyledButton>
                ))}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {shown.length === 0 ? <p className={`note ${classes.none}`}>{t('find.none')}</p> : null}
    </div>
  );
}

/** Prices have one editor, the price book; the options that they are stored as stay one click further. */
function SectionLink({ section: { id, tab, fields }, form }: { section: Section; form: OptionsForm }) {
  const { t } = useTranslation('settings');
  const changed = fields.filter(({ key }) => form.isChanged(key)).length;
  const inside = (
    <>
      <b>
        {t(id === 'pricing' ? 'prices' : `section.${id}`)}
        {changed > 0 ? <span className={classes.count}>{changed}</span> : null}
      </b>
      <span>{t(`line.${id}`)}</span>
    </>
  );
  if (id !== 'pricing')
    return (
      <Link to="/setting" search={{ tab, section: id }} className={classes.link}>
        {inside}
      </Link>
    );
  return (
    <>
      <Link to="/prices" className={classes.link}>
        {inside}
      </Link>
      <Link to="/setting" search={{ tab, section: id }} className={classes.option}>
        {t('section.pricing')}
      </Link>
    </>
  );
}
