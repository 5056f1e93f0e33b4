/** The price book: running prices, drafts of the next ones, every version, and prices of outside lists to review. */
import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Page } from '#web/ui/page/page.tsx';
import { Editor } from './editor.tsx';
import { AddDraft, Drafts } from './drafts.tsx';
import { ImportButton } from './import-dialog.tsx';
import { Proposals } from './proposals.tsx';
import { Running } from './running.tsx';
import { FIRST_PAGE, isEditorAsked, TABS, usePriceSearch, type PartProps, type PriceTab } from './search.ts';
import { Versions } from './versions.tsx';
import classes from './price-book.module.css';

const PARTS: Record<PriceTab, (props: PartProps) => ReactNode> = {
  running: Running,
  drafts: Drafts,
  versions: Versions,
  review: Proposals,
};

export function PriceBookPage() {
  const { t } = useTranslation('price-book');
  const [search, change] = usePriceSearch();
  const edits = isEditorAsked(search);
  const tab = edits ? 'drafts' : (search.tab ?? 'running');
  const Part = PARTS[tab];
  return (
    <Page
      title={t('title')}
      tabs={
        <Tabs
          className={classes.tabs}
          classNames={{ list: classes.tabList, tab: classes.tab }}
          value={tab}
          onChange={(value) => change({ ...FIRST_PAGE, tab: TABS.find((name) => name === value) })}
        >
          <Tabs.List aria-label={t('tabs')}>
            {TABS.map((name) => (
              <Tabs.Tab key={name} value={name} id={`tab-${name}`} aria-controls="price-panel">
                {t(`tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
      }
      actions={tab === 'review' ? <ImportButton /> : edits ? undefined : <AddDraft change={change} />}
      phoneAction={
        tab === 'review' ? <ImportButton isIcon /> : edits ? undefined : <AddDraft change={change} isIcon />
      }
    >
      <div id="price-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="fill">
        {edits ? (
          <Editor key={search.model} search={search} change={change} />
        ) : (
          <Part search={search} change={change} />
        )}
      </div>
    </Page>
  );
}
