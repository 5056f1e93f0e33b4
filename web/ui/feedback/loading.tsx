/** What a page or a part of it shows while its data is on the way. */
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import classes from './feedback.module.css';

/** `page`: with the gutter of a page around it. */
export function Loading({ page = false }: { page?: boolean }) {
  const { t } = useTranslation('ui');
  return (
    <div className={classes.loading} data-page={page || undefined}>
      <PostLoader label={t('grid.loading')} />
    </div>
  );
}
