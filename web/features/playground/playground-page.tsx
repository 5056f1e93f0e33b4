/** The playground: chats, and a tab for each kind of media. */
import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddress } from '#web/ui/address/use-address.ts';
import { MEDIA_KINDS } from '#web/ui/media/again.ts';
import { ChatPlayground } from './chat-playground.tsx';
import { playgroundSearch } from './search.ts';
import classes from './playground.module.css';

const Studio = lazy(() => import('./studio.tsx').then((file) => ({ default: file.Studio })));

export function PlaygroundPage() {
  const { t } = useTranslation('playground');
  const [{ tab }, change] = useAddress(playgroundSearch);
  const tabs = (
    <div className={classes.tabs}>
      <SegmentedControl
        aria-label={t('tabs.label')}
        value={tab ?? 'chat'}
        onChange={(value) => change({ tab: MEDIA_KINDS.find((kind) => kind === value) })}
        data={(['chat', ...MEDIA_KINDS] as const).map((value) => ({ value, label: t(`tabs.${value}`) }))}
      />
    </div>
  );
  if (tab === undefined) return <ChatPlayground tabs={tabs} />;
  return (
    <Suspense>
      <Studio key={tab} kind={tab} tabs={tabs} />
    </Suspense>
  );
}
