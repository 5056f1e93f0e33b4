/** The bell: what needs the reader and the announcements. Its place is kept from the first paint, so that nothing moves. */
import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBell } from '@tabler/icons-react';
import { lazy, Suspense, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { attentionQuery } from '#web/api/queries.ts';
import { useUser } from '#web/api/session.ts';
import { loadMessages } from '#web/i18n/i18n.ts';
import { loadPart } from '#web/ui/feedback/load-part.ts';
import classes from './top-bar.module.css';

const Announcements = lazy(() =>
  loadPart(async () => {
    const [part] = await Promise.all([
      import('#web/features/announcements/bell.tsx'),
      loadMessages('announcements'),
    ]);
    return { default: part.Bell };
  }),
);

const NeedsList = lazy(() =>
  loadPart(async () => ({ default: (await import('./needs-list.tsx')).NeedsList })),
);

function Needs(props: ComponentProps<typeof NeedsList>) {
  return (
    <Suspense>
      <NeedsList {...props} />
    </Suspense>
  );
}

export function Bell() {
  const { t } = useTranslation('shell');
  const user = useUser();
  const { data } = useQuery({ ...attentionQuery, enabled: user !== undefined });
  const urgent = data === undefined ? 0 : data.total.stop + data.total.act;
  return (
    <span className={classes.bell}>
      <Suspense
        fallback={
          user ? (
            <ActionIcon size={30} aria-label={t('needsList')} aria-busy>
              <IconBell size={17} stroke={1.6} />
            </ActionIcon>
          ) : null
        }
      >
        <Announcements
          needs={
            user
              ? {
                  count: urgent,
                  isStopped: (data?.total.stop ?? 0) > 0,
                  label: urgent > 0 ? t('needs', { count: urgent }) : t('needsList'),
                  List: Needs,
                }
              : undefined
          }
        />
      </Suspense>
    </span>
  );
}
