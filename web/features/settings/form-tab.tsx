/** The sections of a tab, one below the other; the ratio sheet takes the whole page. */
import { useEffect, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ChatEditor } from './options/chat-editor.tsx';
import { GroupEditor } from './options/group-editor.tsx';
import { sectionElementId } from './ids.ts';
import { OptionRow } from './options/option-row.tsx';
import { RatioSheet } from './ratios/ratio-sheet.tsx';
import { ResetRatios, ViewSwitch } from './ratios/ratio-tools.tsx';
import { SectionExtra } from './options/section-extras.tsx';
import {
  SHEET_SECTION,
  type Section,
  type SectionId,
  type SectionParts,
  type SettingsTab,
} from './sections.ts';
import type { OptionsForm } from './use-options.ts';
import toolClasses from '#web/ui/sheet/sheet-tools.module.css';
import classes from './options/form.module.css';

interface FormTabProps {
  tab: SettingsTab;
  section: SectionId | undefined;
  view: 'sheet' | 'json';
  form: OptionsForm;
  parts: SectionParts;
  onSeen: (section: SectionId) => void;
}

export function FormTab({ tab, section, view, form, parts, onSeen }: FormTabProps) {
  const sheet = form.sections.find(({ id }) => id === SHEET_SECTION);
  if (section === SHEET_SECTION && sheet)
    return view === 'json' ? <RatioTexts section={sheet} form={form} /> : <RatioSheet form={form} />;
  return <FormSections key={tab} tab={tab} section={section} form={form} parts={parts} onSeen={onSeen} />;
}

function FormSections({ tab, section, form, parts, onSeen }: Omit<FormTabProps, 'view'>) {
  const host = useRef<HTMLDivElement>(null);
  const sections = form.sections.filter(
    (candidate) => candidate.tab === tab && candidate.id !== SHEET_SECTION,
  );

  useEffect(() => {
    if (section) document.getElementById(sectionElementId(section))?.scrollIntoView({ block: 'start' });
  }, [section]);

  const spy = () => {
    const top = host.current?.getBoundingClientRect().top ?? 0;
    // The last sections cannot be scrolled to the top; at the end of the scroll the chosen section is the current one.
    if (section && host.current && isAtEnd(host.current)) {
      onSeen(section);
      return;
    }
    const reached = sections.filter(({ id }) => {
      const element = document.getElementById(sectionElementId(id));
      return element !== null && element.getBoundingClientRect().top - top <= 40;
    });
    const current = reached.at(-1) ?? sections[0];
    if (current) onSeen(current.id);
  };
  return (
    <div ref={host} className={`relative scroll ${classes.sections}`} onScroll={spy}>
      {sections.map((candidate) => (
        <FormSection key={candidate.id} section={candidate} form={form} part={parts[candidate.id]} />
      ))}
      <div className={classes.tail} aria-hidden />
    </div>
  );
}

function isAtEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollTop + clientHeight >= scrollHeight - 2;
}

/** Sections with an explanation. */
const EXPLAINED = [
  'drawing',
  'media',
  'sensitive',
  'backup',
  'export',
  'monitoring',
  'notices',
  'quota',
  'chat',
  'groups',
  'limits',
  'address',
  'worker',
  'payment',
  'agents',
  'login',
  'smtp',
  'github',
  'linuxdo',
  'wechat',
  'telegram',
  'turnstile',
  'oidc',
  'announcements',
  'faq',
] as const;

interface FormSectionProps {
  section: Section;
  form: OptionsForm;
  part: ReactNode;
}

function FormSection({ section, form, part }: FormSectionProps) {
  const { t } = useTranslation('settings');
  const { id, fields } = section;
  const explained = EXPLAINED.find((name) => name === id);
  const heading = `${sectionElementId(id)}-title`;
  return (
    <section id={sectionElementId(id)} className={classes.section} aria-labelledby={heading}>
      <h2 id={heading} className={`title ${classes.sectionTitle}`}>
        {t(`section.${id}`)}
      </h2>
      {explained ? <p className={`top2 note ${classes.sectionText}`}>{t(`about.${explained}`)}</p> : null}
      {id === 'groups' ? (
        <GroupEditor fields={fields} form={form} />
      ) : (
        fields.map((field) => (
          <OptionRow key={field.key} field={field} form={form}>
            {field.key === 'Chats' ? <ChatEditor field={field} form={form} /> : undefined}
          </OptionRow>
        ))
      )}
      <SectionExtra id={id} form={form} />
      {part}
    </section>
  );
}

function RatioTexts({ section, form }: { section: Section; form: OptionsForm }) {
  const { t } = useTranslation('settings');
  return (
    <>
      <div className={`wrap8 fixed ${toolClasses.tools}`}>
        <ViewSwitch view="json" />
        <span className={`flex8 push-right ${toolClasses.toolsRight}`}>
          <ResetRatios />
        </span>
      </div>
      <div className={`relative scroll ${classes.sections}`}>
        <section className={classes.section} aria-label={t('section.pricing')}>
          {section.fields.map((field) => (
            <OptionRow key={field.key} field={field} form={form} />
          ))}
        </section>
      </div>
    </>
  );
}
