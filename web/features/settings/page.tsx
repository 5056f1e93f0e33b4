/**
 * /setting: the personal tab for every user, the others for the super admin. All options are one form over all tabs: drafts
 * survive a change of tab, and leaving the page with unsaved changes asks first.
 */
import { Button, Tabs } from '@mantine/core';
import { useBlocker, useNavigate, useSearch } from '@tanstack/react-router';
import { IconHistory } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, type ComponentProps, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { errorMessage } from '#web/api/errors.ts';
import { useUser } from '#web/api/session.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState, NotAllowed } from '#web/ui/feedback/states.tsx';
import { removeDraft } from '#web/ui/input/draft.ts';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { Page } from '#web/ui/page/page.tsx';
import { FindBox } from './find/find-box.tsx';
import { FormTab } from './form-tab.tsx';
import { HistoryDrawer } from './review/history-drawer.tsx';
import { controlId, rowId } from './ids.ts';
import { ReviewBar } from './review/review-bar.tsx';
import { TABS, type SettingSearch, type Tab } from './search.ts';
import { SectionIndex } from './section-index.tsx';
import { SettingsIndex } from './index-page.tsx';
import type { Section, SectionId, SectionParts, SettingsTab } from './sections.ts';
import { DRAFT_NAME } from './use-drafts.ts';
import { useOptions, type OptionsForm } from './use-options.ts';
import classes from './settings.module.css';

interface SettingsPageProps {
  personal: ReactNode;
  parts: SectionParts;
}

export function SettingsPage({ personal, parts }: SettingsPageProps) {
  const { t } = useTranslation('settings');
  const user = useUser();
  const root = user !== undefined && isRoot(user.role);
  const search = useSearch({ strict: false }) as SettingSearch;
  const navigate = useNavigate();
  const phone = usePhone();
  const { form, error, retry } = useOptions(root);
  const tab: Tab = search.tab ?? 'personal';
  const tabs = root ? TABS : (['personal'] as const);
  const isForm = tab !== 'personal' && tab !== 'all';
  const go = (next: SettingSearch) => navigate({ to: '/setting', search: next });
  useLeaveGuard(form);

  const show = (section: { tab: SettingsTab; id: SectionId }, key: string) => {
    void go({
      tab: section.tab,
      section: section.id,
      view: section.id === 'pricing' ? 'json' : undefined,
    }).then(() => {
      document.getElementById(rowId(key))?.scrollIntoView({ block: 'center' });
      document.getElementById(controlId(key))?.focus({ preventScroll: true });
    });
  };
  useFocusOnRefusal(form, show);
  useAskedOption(form, search.option, show);

  const tabList = (
    <Tabs
      className={classes.tabs}
      classNames={{ list: classes.tabList, tab: classes.tab }}
      value={tab}
      onChange={(value) => void go({ tab: TABS.find((name) => name === value) })}
    >
      <Tabs.List aria-label={t('tabs')}>
        {tabs.map((name) => (
          <Tabs.Tab key={name} value={name} id={`tab-${name}`} aria-controls="settings-panel">
            {t(`tab.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
  const actions = form ? (
    <>
      {tab === 'all' ? null : <FindBox form={form} onFound={show} hasDrawer={search.history === true} />}
      {search.history ? null : (
        <Button
          className={classes.history}
          aria-label={t('history.open')}
          variant="default"
          leftSection={<IconHistory size={15} stroke={1.6} />}
          onClick={() => void go({ ...search, history: true })}
        >
          {t('history.open')}
        </Button>
      )}
    </>
  ) : undefined;
  return (
    <Page
      title={t('title')}
      tabs={tabList}
      actions={actions}
      drawer={
        form && search.history ? (
          <HistoryDrawer
            optionKey={search.key}
            onKey={(key) => void go({ ...search, key })}
            onRolledBack={form.discard}
            onClose={() => void go({ ...search, history: undefined, key: undefined })}
          />
        ) : undefined
      }
    >
      {phone && form && isForm ? <div className={classes.phoneTools}>{actions}</div> : null}
      <div
        id="settings-panel"
        role="tabpanel"
        aria-labelledby={`tab-${tab}`}
        className={`fill ${classes.panel}`}
      >
        {tab === 'personal' ? (
          <div className="scroll">{personal}</div>
        ) : !root ? (
          <NotAllowed text={t('rootOnly')} />
        ) : form && tab === 'all' ? (
          <AllSettings form={form} onOption={show} />
        ) : form && isForm ? (
          <SettingsForm tab={tab} search={search} form={form} parts={parts} />
        ) : error ? (
          <ErrorState message={errorMessage(error)} onRetry={retry} />
        ) : (
          <Loading shape="form" />
        )}
      </div>
    </Page>
  );
}

/** Changes that were made on another tab and not saved can be reviewed here, too. */
function AllSettings({ form, onOption }: ComponentProps<typeof SettingsIndex>) {
  return (
    <div className="pane">
      <SettingsIndex form={form} onOption={onOption} />
      {form.changed.length > 0 ? <ReviewBar form={form} /> : null}
    </div>
  );
}

interface SettingsFormProps {
  tab: SettingsTab;
  search: SettingSearch;
  form: OptionsForm;
  parts: SectionParts;
}

function SettingsForm({ tab, search, form, parts }: SettingsFormProps) {
  const [seen, setSeen] = useState<SectionId>();
  const sections = form.sections.filter((section) => section.tab === tab);
  const asked = sections.find(({ id }) => id === search.section)?.id;
  const current =
    (asked === 'pricing' ? asked : sections.find(({ id }) => id === seen)?.id) ?? asked ?? sections[0]?.id;
  return (
    <div className={classes.body}>
      <SectionIndex tab={tab} sections={sections} current={current} form={form} onChoose={setSeen} />
      <div className="pane">
        <FormTab
          tab={tab}
          section={asked}
          view={search.view ?? 'sheet'}
          form={form}
          parts={parts}
          onSeen={setSeen}
        />
        <ReviewBar form={form} />
      </div>
    </div>
  );
}

/** The palette names the option in the address; it is shown once the form is there. */
function useAskedOption(
  form: OptionsForm | undefined,
  option: string | undefined,
  show: (section: Section, key: string) => void,
): void {
  const isLoaded = form !== undefined;
  const showAsked = useEffectEvent(() => {
    const section = form?.sections.find(({ fields }) => fields.some(({ key }) => key === option));
    if (section && option !== undefined) show(section, option);
  });
  useEffect(() => {
    if (isLoaded && option !== undefined) showAsked();
  }, [isLoaded, option]);
}

/** A refused option may be on another tab than the one the user saved from. */
function useFocusOnRefusal(
  form: OptionsForm | undefined,
  show: (section: Section, key: string) => void,
): void {
  const count = form?.refusal.count ?? 0;
  const focus = useEffectEvent(() => {
    const [key] = Object.keys(form?.refusal.refused.fields ?? {});
    const section = form?.sections.find(({ fields }) => fields.some((field) => field.key === key));
    if (section && key !== undefined) show(section, key);
  });
  useEffect(() => {
    if (count > 0) focus();
  }, [count]);
}

/** Moving between the tabs and a reload keep the drafts; leaving the page discards them. */
function useLeaveGuard(form: OptionsForm | undefined): void {
  const { t } = useTranslation('settings');
  const count = form?.changed.length ?? 0;
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (count === 0 || next.pathname === current.pathname || next.pathname === '/login') return false;
      const sure = await confirm({
        title: t('leave.title'),
        body: t('leave.body', { count }),
        confirmLabel: t('leave.confirm'),
        danger: true,
      });
      if (sure) removeDraft(DRAFT_NAME);
      return !sure;
    },
    enableBeforeUnload: form?.changed.some(({ kind }) => kind === 'secret') ?? false,
  });
}
