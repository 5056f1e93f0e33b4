/** The sections of a tab beside the form, with the number of changes in each; on the phone a line that scrolls. */
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { sectionElementId } from './ids.ts';
import type { Section, SectionId, SettingsTab } from './sections.ts';
import type { OptionsForm } from './use-options.ts';
import classes from './section-index.module.css';

interface SectionIndexProps {
  tab: SettingsTab;
  sections: readonly Section[];
  current: SectionId | undefined;
  form: OptionsForm;
  onChoose: (section: SectionId) => void;
}

export function SectionIndex({ tab, sections, current, form, onChoose }: SectionIndexProps) {
  const { t } = useTranslation('settings');
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    const item = line.current?.querySelector(`[data-section="${current}"]`);
    item?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  return (
    <nav ref={line} className={classes.index} aria-label={t('index')}>
      {sections.map(({ id, fields }) => {
        const changed = fields.filter(({ key }) => form.isChanged(key)).length;
        const wrong = fields.some(({ key }) => form.errorOf(key) !== undefined);
        return (
          <Link
            key={id}
            to="/setting"
            search={{ tab, section: id }}
            className={`row8 between ${classes.indexItem}`}
            aria-current={id === current ? 'location' : undefined}
            // The router marks the section of the URL as active; this mark follows the scroll position instead.
            data-section={id}
            data-current={id === current || undefined}
            data-wrong={wrong || undefined}
            onClick={() => {
              onChoose(id);
              // Navigating to the same URL does not scroll.
              document.getElementById(sectionElementId(id))?.scrollIntoView({ block: 'start' });
            }}
          >
            <span>{t(`section.${id}`)}</span>
            {changed > 0 ? <span className={classes.indexCount}>{changed}</span> : null}
          </Link>
        );
      })}
    </nav>
  );
}
